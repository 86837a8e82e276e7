return require("judge").judge(3)

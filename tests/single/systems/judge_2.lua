return require("judge").judge(2)

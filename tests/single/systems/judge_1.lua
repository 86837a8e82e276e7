return require("judge").judge(1)

return require("judge").judge(10)

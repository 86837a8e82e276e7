return require("judge").judge(0)

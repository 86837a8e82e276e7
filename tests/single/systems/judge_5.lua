return require("judge").judge(5)

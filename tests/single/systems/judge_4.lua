return require("judge").judge(4)

return require("judge").judge(9)

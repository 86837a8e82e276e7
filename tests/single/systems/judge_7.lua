return require("judge").judge(7)

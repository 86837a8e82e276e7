return require("judge").judge(6)

return require("judge").judge(11)

return require("judge").judge(8)

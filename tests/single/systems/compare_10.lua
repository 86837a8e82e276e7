return require("judge").compare(10)

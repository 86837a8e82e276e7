return require("judge").compare(0)

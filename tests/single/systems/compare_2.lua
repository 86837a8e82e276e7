return require("judge").compare(2)

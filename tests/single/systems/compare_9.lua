return require("judge").compare(9)

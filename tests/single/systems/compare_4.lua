return require("judge").compare(4)

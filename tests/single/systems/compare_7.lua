return require("judge").compare(7)

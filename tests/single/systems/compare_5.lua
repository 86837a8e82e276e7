return require("judge").compare(5)

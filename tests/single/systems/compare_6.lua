return require("judge").compare(6)

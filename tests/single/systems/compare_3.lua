return require("judge").compare(3)

return require("judge").compare(1)

return require("judge").compare(8)

return require("judge").compare(11)

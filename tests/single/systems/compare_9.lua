return require("reference").compare(9)

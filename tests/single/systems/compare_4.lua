return require("reference").compare(4)

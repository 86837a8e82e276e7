return require("reference").compare(2)

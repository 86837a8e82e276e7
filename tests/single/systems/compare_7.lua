return require("reference").compare(7)

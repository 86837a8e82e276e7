return require("reference").compare(3)

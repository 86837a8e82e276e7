return require("reference").compare(6)

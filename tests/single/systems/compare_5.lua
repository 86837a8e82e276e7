return require("reference").compare(5)

return require("reference").compare(10)

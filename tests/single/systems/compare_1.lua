return require("reference").compare(1)

return require("reference").compare(0)

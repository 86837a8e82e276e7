return require("reference").compare(8)

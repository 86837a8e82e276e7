return require("reference").compare(11)

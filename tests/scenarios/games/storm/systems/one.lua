return require("lib.wild")

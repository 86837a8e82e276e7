return require("program").system(6)

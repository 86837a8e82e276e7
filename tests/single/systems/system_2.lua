return require("program").system(2)

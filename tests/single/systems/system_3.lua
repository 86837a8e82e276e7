return require("program").system(3)

return require("reference").evaluate(9)

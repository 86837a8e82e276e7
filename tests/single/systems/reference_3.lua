return require("reference").evaluate(3)

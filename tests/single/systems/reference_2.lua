return require("reference").evaluate(2)

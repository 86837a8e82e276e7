return require("reference").evaluate(5)

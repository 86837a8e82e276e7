return require("reference").evaluate(10)

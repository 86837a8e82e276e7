return require("reference").evaluate(1)

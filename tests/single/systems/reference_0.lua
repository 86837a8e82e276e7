return require("reference").evaluate(0)

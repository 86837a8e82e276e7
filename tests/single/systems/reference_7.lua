return require("reference").evaluate(7)

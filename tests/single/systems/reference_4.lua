return require("reference").evaluate(4)

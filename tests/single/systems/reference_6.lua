return require("reference").evaluate(6)

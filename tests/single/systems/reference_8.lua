return require("reference").evaluate(8)

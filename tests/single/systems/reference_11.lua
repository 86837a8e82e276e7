return require("reference").evaluate(11)

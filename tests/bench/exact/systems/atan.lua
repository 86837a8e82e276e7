return require("exact.column")("atan", "f(x[i])")

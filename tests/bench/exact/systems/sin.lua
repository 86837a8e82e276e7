return require("exact.column")("sin", "f(x[i])")

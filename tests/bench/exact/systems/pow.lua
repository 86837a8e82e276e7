return require("exact.column")("pow", "f(x[i], y[i])")

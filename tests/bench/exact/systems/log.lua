return require("exact.column")("log", "f(x[i])")

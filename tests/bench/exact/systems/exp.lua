return require("exact.column")("exp", "f(x[i])")

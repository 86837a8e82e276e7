return require("exact.column")("cos", "f(x[i])")

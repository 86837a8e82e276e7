return require("exact.column")("atan2", "f(x[i], y[i])")

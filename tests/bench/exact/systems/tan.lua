return require("exact.column")("tan", "f(x[i])")

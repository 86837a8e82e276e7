return { other = require("lib.circle_b") }

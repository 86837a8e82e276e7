return { other = require("lib.circle_a") }

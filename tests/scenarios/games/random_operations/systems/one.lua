return require("lib.random_system")

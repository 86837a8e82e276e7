return { fire = { "key:space" }, steer = { negative = "key:a", positive = "key:d" } }

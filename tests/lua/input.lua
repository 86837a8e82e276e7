return { fire = { "key:space", "pad:a" }, aim = { axis = "pad:rightx" } }

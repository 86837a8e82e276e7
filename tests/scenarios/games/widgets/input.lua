return { shoot = { "key:space", "mouse:left" } }

return { push = { "mouse:left" } }

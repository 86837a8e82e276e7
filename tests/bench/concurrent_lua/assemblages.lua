return { mover = { components = { left = {}, right = {} } } }

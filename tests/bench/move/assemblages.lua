return { mover = { components = { transform = {}, motion = {} } } }

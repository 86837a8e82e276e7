return { thing = { components = { position = {}, velocity = { x = 1, y = 2 } } } }

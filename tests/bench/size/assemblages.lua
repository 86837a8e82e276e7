return { thing = { components = { place = {}, velocity = { x = 1, y = 2 }, size = {}, health = {}, team = {} } } }

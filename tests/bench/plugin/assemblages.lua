return { mover = { components = { position = {}, velocity = {} } } }

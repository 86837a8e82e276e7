return { mover = { components = { position = {}, velocity = {}, label = {} } } }

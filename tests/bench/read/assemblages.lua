return { fighter = { components = { health = {}, target = {} } } }

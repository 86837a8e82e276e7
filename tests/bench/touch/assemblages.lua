return { fighter = { components = { health = {} } } }

return { actor = { components = { transform = {}, actor = {} } } }

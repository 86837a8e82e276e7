return { thing = { components = { transform = {}, motion = {} } } }

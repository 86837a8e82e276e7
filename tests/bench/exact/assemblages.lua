return { number = { components = { number = {} } } }

return { row = { components = { a = {}, b = {} } } }

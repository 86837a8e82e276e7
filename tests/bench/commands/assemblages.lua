return { thing = { components = { unit = {}, other = {} } } }

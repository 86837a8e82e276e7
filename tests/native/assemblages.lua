return { row = { components = { given = {}, result = {} } } }

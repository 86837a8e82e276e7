return { row = { components = { given = {}, result = {}, wanted = {} } } }

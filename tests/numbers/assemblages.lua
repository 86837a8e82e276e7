return { row = { components = { row = {}, given = {}, result = {} } } }

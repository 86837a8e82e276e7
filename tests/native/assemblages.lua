return { row = { components = { given = {}, result = {} } }, post = { components = { post = {} } } }

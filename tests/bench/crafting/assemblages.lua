return { crafter = { components = { crafter = {} } }, stack = { components = { stack = {} } } }

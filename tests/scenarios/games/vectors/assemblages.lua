return { rock = { components = { drift = {}, tumble = {} } } }

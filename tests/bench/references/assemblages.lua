return { seeker = { components = { seeker = {} } } }

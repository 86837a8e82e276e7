return { animal = { components = { animal = {} } } }

return { cell = { components = { transform = {}, age = {}, name = {}, cell = {} } } }

return { lamp = { components = { transform = {}, lamp = {}, gun = { left = {}, right = {} } } } }

return { building = { components = { transform = {} } }, villager = { components = { transform = {}, villager = {} } } }

return { entities = { { assemblage = "thing", components = { transform = { x = 1 } } } } }

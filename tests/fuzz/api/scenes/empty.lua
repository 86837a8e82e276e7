return { entities = { { "thing", { transform = { x = 1 } } } } }

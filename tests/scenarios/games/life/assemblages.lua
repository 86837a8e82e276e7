return { cell = { components = { transform = {}, age = {}, name = {}, script = { file = "behaviours/cell.lua" } } } }

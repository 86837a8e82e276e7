return { passed = { x = 0 } }

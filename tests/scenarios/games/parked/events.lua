return { bang = { power = 1 } }

return { bang = { x = 0, text = shoal.types.string "" } }

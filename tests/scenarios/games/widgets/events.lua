return { close = { entity = shoal.types.entity } }

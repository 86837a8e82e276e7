return { poke = { entity = shoal.types.entity, power = 0 } }

return { hit = { target = shoal.types.entity, power = 0 } }

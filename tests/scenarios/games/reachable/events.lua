return { hit = { who = shoal.types.entity, power = 1 } }

local t = shoal.types
return { flash = { who = t.entity, energy = 0, loud = t.bool(false) } }

local t = shoal.types
return { hit = { entity = t.entity, who = t.entity, power = 1, cancelled = false } }

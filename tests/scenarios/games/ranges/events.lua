local t = shoal.types
return { hit = { power = t.f32(1, { min = 0, max = 10 }) } }

local t = shoal.types
return { hit = { power = 1, who = t.entity, what = t.string "", kind = t.enum { "a", "b" } },
  poke = { entity = t.entity, power = 1 }, note = { at = t.vec2(0, 0) } }

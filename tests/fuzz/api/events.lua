local t = shoal.types
return { hit = { power = 1, who = t.entity, what = t.string "", kind = t.enum { "a", "b" } },
  note = { at = t.vec2(0, 0) } }

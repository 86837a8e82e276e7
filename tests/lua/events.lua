local t = shoal.types
return { struck = { entity = t.entity, by = t.entity, power = 1, at = t.vec2 }, poke = { entity = t.entity },
  hit = { who = t.entity, power = 1, what = t.string "", cancelled = false }, unread = { number = 0 },
  poked = { whom = t.entity, by = t.entity, hard = t.i32(0), at = t.vec2 }, bell = { number = 0 },
  stuffed = { who = t.entity, items = t.list(t.i32, 4), more = { names = t.list(t.string, 2) } },
  painted = { who = t.entity, colors = { r = 0, g = 0.5 } } }

local t = shoal.types
return { grown = { who = t.entity, by = t.entity, ticks = t.i32(0) } }

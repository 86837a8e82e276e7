local t = shoal.types

return { ring = { who = t.entity, how = t.enum { "once", "twice" }, note = t.string "", power = 1 } }

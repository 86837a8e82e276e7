local t = shoal.types
return { hit = { who = t.entity, power = 1, what = t.string "", cancelled = false }, unread = { number = 0 } }

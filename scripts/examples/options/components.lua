local t = shoal.types

return { ball = { vx = 0, vy = 0, played = t.i32(-1000), doc = "played: the tick of the last key" } }

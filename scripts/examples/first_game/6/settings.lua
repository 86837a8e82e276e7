-- The player's settings, kept between runs. A number from 0 to 1 with the name of a bus sets the volume of that bus.
local t = shoal.types
local volume = { min = 0, max = 1 }
return { best = t.i32(0), music = t.f32(0.7, volume), effects = t.f32(0.9, volume) }

-- What belongs to the player and lasts. A number from 0 to 1 that is called like a bus is its volume.
local t = shoal.types
local volume = { min = 0, max = 1 }
return { best = t.i32(0), music = t.f32(0.7, volume), effects = t.f32(0.9, volume) }

-- What belongs to the player, and lasts from run to run.
local t = shoal.types

return { best_time = t.f32(0) }

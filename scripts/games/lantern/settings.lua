-- What belongs to the player, and lasts from run to run.
local t = shoal.types

return {
  best_time = t.f32(0),
  music = t.f32(0.8, { min = 0, max = 1 }), -- called like buses: they are their volumes
  effects = t.f32(0.9, { min = 0, max = 1 }),
}

-- Shows a flickering flame and sparks behind a thrusting ship, and plays its engine sound.
local sounds = require "lib.sounds"

return {
  after = { "thrust" },
  queries = {
    flames = { "flame", "transform", "shape", "emitter" },
    engines = { "intent", "engine", "sound", "transform" },
  },
  update = function(q, dt)
    local transform, visible, emitter_enabled = q.flames.transform, q.flames.shape.visible, q.flames.emitter.enabled
    for i = 1, q.flames.count do
      local ship = transform.parent[i]
      local is_thrusting = ship and ship:alive() and ship:has("intent") and ship.intent.thrust
      visible[i], emitter_enabled[i] = is_thrusting or false, is_thrusting or false
      transform.scale_x[i] = 0.75 + 0.6 * world.random()
      transform.scale_y[i] = 0.85 + 0.3 * world.random()
    end
    local heat, thrust, x = q.engines.engine.heat, q.engines.intent.thrust, q.engines.transform.x
    local volume, pan = q.engines.sound.volume, q.engines.sound.pan
    for i = 1, q.engines.count do
      heat[i] = heat[i] + ((thrust[i] and 1 or 0) - heat[i]) * math.min(1, 14 * dt)
      volume[i] = heat[i] < 0.01 and 0 or heat[i] * 0.42 * sounds.loudness()
      pan[i] = sounds.pan(x[i])
    end
  end,
}

-- A ship that has just appeared blinks and is invulnerable. When its `grace` is over, it gets its body and can collide.
local sounds = require "lib.sounds"

return {
  after = { "motion" },
  query = { "ship", "grace", "shape", "transform" },
  enter = function(e)
    local transform = e.transform
    sounds.play("spawn.wav", 0.5, transform.x)
    world.spawn("ring", {
      transform = { x = transform.x, y = transform.y },
      ring = { growth = -260, life = 0.5, peak = 0.9 },
      lifetime = { seconds = 0.5 },
      shape = { radius = 90, colour = { 0.62, 0.95, 1, 1 } },
    })
  end,
  each = function(e, dt)
    local grace, colour = e.grace, e.shape.colour
    grace.left = grace.left - dt
    local is_bright = grace.left * 6 % 1 < 0.5
    colour.a = (is_bright or grace.left <= 0) and 1 or 0.45
    if grace.left <= 0 then e:enter("playing") end
  end,
}

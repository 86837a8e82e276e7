-- Moves the walker. Each footstep plays step_1.wav, step_2.wav or step_3.wav at the walker's position.
local ring = require "lib.ring"

return {
  each = function(e, dt)
    local walker, at = e.walker, e.transform
    at.x = at.x + walker.speed * dt
    if at.x > 1180 or at.x < 100 then
      walker.speed = -walker.speed
    end
    walker.next_step = walker.next_step - dt
    if walker.next_step <= 0 then
      walker.next_step = 0.42
      audio.play("step", { x = at.x, y = at.y, range = 900, within = 200, bus = "steps", pitch_variation = 0.08 })
      ring(at.x, at.y + 8, 34, "#9ff5c0")
    end
  end,
  query = { "walker", "transform" },
}

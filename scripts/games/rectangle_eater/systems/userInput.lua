-- Steers every entity that has `playerControlled`, with the keys of its player. In the demo, systems/pilot.lua sets the
-- intent.
local plate = require "lib.plate"
local SPEED, SLIDE = 380, 9

return {
  when = { match = { phase = "course" } },
  query = { "playerControlled", "intent", "motion", "mouth", "position" },
  each = function(e, dt)
    local intent, motion, mouth, at = e.intent, e.motion, e.mouth, e.position
    if not world.single.match.demo then
      local player = e.playerControlled.player > 0 and e.playerControlled.player or nil
      local x, y = input.axis("go_x", player), input.axis("go_y", player)
      local length = math.max(1, math.sqrt(x * x + y * y))
      intent.x, intent.y = x / length, y / length
    end
    motion.vx = motion.vx + (intent.x * SPEED - motion.vx) * SLIDE * dt
    motion.vy = motion.vy + (intent.y * SPEED - motion.vy) * SLIDE * dt
    mouth.x, mouth.y = mouth.x + (intent.x - mouth.x) * SLIDE * dt, mouth.y + (intent.y - mouth.y) * SLIDE * dt
    mouth.grace, mouth.open = mouth.grace - dt, math.max(0, mouth.open - dt)
    at.x, at.y = at.x + motion.vx * dt, at.y + motion.vy * dt
    plate.keep(at, e:has("collision") and e.collision or nil)
  end,
}

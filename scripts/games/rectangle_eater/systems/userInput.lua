-- Steers every entity that has `playerControlled`, with the keys of its player. In the demo, systems/pilot.lua sets the
-- intent.
local looks = assets.json "looks.json"
local SPEED, SLIDE = 380, 9

local function read_direction(player)
  local x, y = input.axis("go_x", player), input.axis("go_y", player)
  local length = math.max(1, math.sqrt(x * x + y * y))
  return x / length, y / length
end

return {
  when = { match = { phase = "course" } },
  query = { "playerControlled", "intent", "motion", "mouth", "position", optional = { "collision" } },
  update = function(q, dt)
    local intent, motion, mouth, position, demo = q.intent, q.motion, q.mouth, q.position, world.single.match.demo
    local all_x, all_y = read_direction()
    local x1, y1 = read_direction(1)
    local x2, y2 = read_direction(2)
    for i = 1, q.count do
      local player, width, height = q.playerControlled.player[i], 0, 0
      if not demo then
        intent.x[i] = player == 1 and x1 or player == 2 and x2 or all_x
        intent.y[i] = player == 1 and y1 or player == 2 and y2 or all_y
      end
      if q.has.collision[i] then
        width, height = q.collision.size[i] * q.collision.aspect[i], q.collision.size[i] / q.collision.aspect[i]
      end
      motion.vx[i] = motion.vx[i] + (intent.x[i] * SPEED - motion.vx[i]) * SLIDE * dt
      motion.vy[i] = motion.vy[i] + (intent.y[i] * SPEED - motion.vy[i]) * SLIDE * dt
      mouth.x[i] = mouth.x[i] + (intent.x[i] - mouth.x[i]) * SLIDE * dt
      mouth.y[i] = mouth.y[i] + (intent.y[i] - mouth.y[i]) * SLIDE * dt
      mouth.grace[i], mouth.open[i] = mouth.grace[i] - dt, math.max(0, mouth.open[i] - dt)
      position.x[i] = math.max(looks.left + width, math.min(looks.right - width, position.x[i] + motion.vx[i] * dt))
      position.y[i] = math.max(looks.top + height, math.min(looks.bottom - height, position.y[i] + motion.vy[i] * dt))
    end
  end,
}

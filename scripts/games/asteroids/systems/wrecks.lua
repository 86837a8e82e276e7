-- After `wreck.left` seconds, a wreck becomes the next ship as soon as the middle is clear, or after another
-- LONGEST_WAIT seconds at the latest. If no ships are left, the game ends instead.
local tuning = require "tuning"

local LONGEST_WAIT = 5

-- Returns true if no hazard is near the middle now or half a second from now.
local function is_middle_clear(hazards)
  local x, y, radius = hazards.transform.x, hazards.transform.y, hazards.hazard.radius
  local vx, vy = hazards.motion.vx, hazards.motion.vy
  for i = 1, hazards.count do
    for ahead = 0, 0.5, 0.5 do
      local dx, dy = x[i] + vx[i] * ahead - tuning.width / 2, y[i] + vy[i] * ahead - tuning.height / 2
      local min_distance = tuning.clear_radius * 0.6 + radius[i]
      if dx * dx + dy * dy < min_distance * min_distance then return false end
    end
  end
  return true
end

local function end_game(e)
  e:destroy()
  world.emit("go", { to = world.single.game.phase == "demo" and "title" or "over" })
end

return {
  after = { "grace" },
  queries = { wrecks = { "ship", "wreck", "transform", "motion" }, hazards = { "hazard", "transform", "motion" } },
  update = function(q, dt)
    local wrecks, score = q.wrecks, world.single.score
    local wreck = wrecks.wreck
    for i = 1, wrecks.count do
      wreck.left[i] = wreck.left[i] - dt
      if wreck.left[i] <= 0 then
        wreck.waited[i] = wreck.waited[i] + dt
        if score.lives <= 0 then
          end_game(wrecks.entity[i])
        elseif is_middle_clear(q.hazards) or wreck.waited[i] > LONGEST_WAIT then
          score.lives = score.lives - 1
          wrecks.entity[i]:enter("spawning")
        end
      end
    end
  end,
}

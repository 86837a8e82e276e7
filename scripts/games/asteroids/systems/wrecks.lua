-- A ship that has been hit: its hull flies apart, the pieces drift; then the next ship takes its place, or the game is
-- over.
local tuning = require "tuning"
local looks = require "lib.looks"

local LONGEST_WAIT = 5

-- The lines of the hull, each on its own way.
local function fly_apart(e)
  local t, m = e.transform, e.motion
  local hull = looks.numbers(looks.ship)
  local c, s = math.cos(t.angle), math.sin(t.angle)
  local corners = #hull / 2
  for i = 1, corners do
    local k = i % corners + 1
    local x1, y1, x2, y2 = hull[2 * i - 1], hull[2 * i], hull[2 * k - 1], hull[2 * k]
    -- Two halves of each line, so that there is more to fly.
    for half = 0, 1 do
      local mx, my = x1 + (x2 - x1) * (0.25 + half * 0.5), y1 + (y2 - y1) * (0.25 + half * 0.5)
      local dx, dy = (x2 - x1) / 4, (y2 - y1) / 4
      local out = 3.2 + 3.6 * world.random()
      local wx, wy = c * mx - s * my, s * mx + c * my
      world.spawn("ship_piece", {
        transform = { x = t.x + wx, y = t.y + wy, angle = t.angle },
        motion = {
          vx = m.vx * 0.5 + wx * out + (world.random() - 0.5) * 40,
          vy = m.vy * 0.5 + wy * out + (world.random() - 0.5) * 40,
          spin = (world.random() - 0.5) * 9,
        },
        shape = { points = string.format("%.2f,%.2f %.2f,%.2f", -dx, -dy, dx, dy) },
      })
    end
  end
end

-- Nothing near the middle now, nor half a second from now.
local function middle_is_clear(hazards)
  local x, y, radius = hazards.transform.x, hazards.transform.y, hazards.hazard.radius
  local vx, vy = hazards.motion.vx, hazards.motion.vy
  for i = 1, hazards.count do
    for ahead = 0, 0.5, 0.5 do
      local dx, dy = x[i] + vx[i] * ahead - tuning.width / 2, y[i] + vy[i] * ahead - tuning.height / 2
      local away = tuning.clear_radius * 0.6 + radius[i]
      if dx * dx + dy * dy < away * away then return false end
    end
  end
  return true
end

local function next_ship(e)
  local t, m = e.transform, e.motion
  t.x, t.y, t.angle = tuning.width / 2, tuning.height / 2, -math.pi / 2
  m.vx, m.vy, m.spin = 0, 0, 0
  e:enter("spawning")
end

local function no_ships_left(e)
  e:destroy()
  world.emit("go", { to = world.single.game.phase == "demo" and "title" or "over" })
end

return {
  after = { "grace" },
  queries = { wrecks = { "ship", "wreck", "transform", "motion" }, hazards = { "hazard", "transform", "motion" } },
  enter = fly_apart,
  update = function(q, dt)
    local wrecks, score = q.wrecks, world.single.score
    local wreck = wrecks.wreck
    for i = 1, wrecks.count do
      wreck.left[i] = wreck.left[i] - dt
      if wreck.left[i] <= 0 then
        wreck.waited[i] = wreck.waited[i] + dt
        if score.lives <= 0 then
          no_ships_left(wrecks.entity[i])
        elseif middle_is_clear(q.hazards) or wreck.waited[i] > LONGEST_WAIT then
          score.lives = score.lives - 1
          next_ship(wrecks.entity[i])
        end
      end
    end
  end,
}

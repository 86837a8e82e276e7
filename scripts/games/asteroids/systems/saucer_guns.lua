-- Big saucers shoot in random directions. Small saucers aim ahead of the nearest ship, more precisely as the score
-- grows. Mother ships fire fans of three.
local tuning = require "tuning"
local sounds = require "lib.sounds"

local SPEED, FAN = 430, 0.32 -- SPEED: pixels per second; FAN: radians between the shells of a fan

-- Returns the direction in which to fire from x, y to hit a moving target.
local function aim_ahead(x, y, tx, ty, tvx, tvy)
  local dx, dy = tx - x, ty - y
  for _ = 1, 3 do -- estimates the flight time, then refines it twice
    local flight = math.sqrt(dx * dx + dy * dy) / SPEED
    dx, dy = tx + tvx * flight - x, ty + tvy * flight - y
  end
  return math.atan2(dy, dx)
end

-- Returns the row of the ship nearest to x, y. There must be at least one ship.
local function find_nearest(x, y, ships)
  local nearest, min_distance = 1, math.huge
  for i = 1, ships.count do
    local dx, dy = ships.transform.x[i] - x, ships.transform.y[i] - y
    if dx * dx + dy * dy < min_distance then nearest, min_distance = i, dx * dx + dy * dy end
  end
  return nearest
end

local function choose_direction(is_small, x, y, ships)
  if not is_small or ships.count == 0 then return world.random() * 2 * math.pi end
  local transform, motion, k = ships.transform, ships.motion, find_nearest(x, y, ships)
  local accuracy = math.min(1, world.single.score.points / tuning.saucer_sharp_at)
  local aim_error = (world.random() - 0.5) * 0.7 * (1 - accuracy)
  return aim_ahead(x, y, transform.x[k], transform.y[k], motion.vx[k] * accuracy, motion.vy[k] * accuracy) + aim_error
end

local function fire(x, y, angle, distance)
  world.spawn("shell", {
    transform = { x = x + math.cos(angle) * distance, y = y + math.sin(angle) * distance, angle = angle },
    motion = { vx = math.cos(angle) * SPEED, vy = math.sin(angle) * SPEED },
  })
end

return {
  after = { "saucer_flight" },
  queries = { saucers = { "saucer", "transform" }, ships = { "ship", "transform", "motion", "intent" } },
  update = function(q, dt)
    local transform, saucer = q.saucers.transform, q.saucers.saucer
    for i = 1, q.saucers.count do
      saucer.fire_in[i] = saucer.fire_in[i] - dt
      if saucer.fire_in[i] <= 0 then
        saucer.fire_in[i] = saucer.small[i] and 0.75 + 0.5 * world.random() or 0.9 + 0.7 * world.random()
        local x, y = transform.x[i], transform.y[i]
        local angle = choose_direction(saucer.small[i], x, y, q.ships)
        local fan = q.saucers.entity[i]:has("mother_ship") and 1 or 0
        for k = -fan, fan do fire(x, y, angle + FAN * k, 20 + 30 * fan) end
        sounds.play("saucer_fire.wav", 0.35, x)
      end
    end
  end,
}

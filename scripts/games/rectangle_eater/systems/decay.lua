-- Changes the health and size of all entities by their decay: a negative decay makes them grow. Destroys entities whose
-- health reaches 0, and growing rectangles that reach their maximum size. Eaters lose more health in each course, and
-- when they are large, and less when they starve. The game is over when no eater is left.
local looks, plate = assets.json "looks.json", require "lib.plate"
-- MAX: health at which a growing rectangle is destroyed; CALM: seconds without hunger before the first bite; LARGE,
-- STEP: above LARGE, the hunger of an eater is multiplied by 1 + (health - LARGE) / STEP; FASTING: minimum factor of
-- the hunger of a starving eater
local MAX, CALM, LARGE, STEP, FASTING = 136, 8, 60, 40, 0.2

local function get_hunger_share(health)
  if health < plate.STARVING then return math.max(FASTING, (health / plate.STARVING) ^ 2) end
  return 1 + math.max(0, health - LARGE) / STEP
end

return {
  after = "collision",
  when = { match = { phase = "course" } },
  queries = { all = { "health", optional = { "appearance", "collision", "playerControlled" } },
    eaters = { "playerControlled" } },
  update = function(q, dt)
    local match, rectangles, health, has = world.single.match, q.all, q.all.health, q.all.has
    local hunger, share = looks.drain[match.demo and "normal" or settings.hunger] + match.course, math.min(1, 8 * dt)
    if match.course == 1 and match.points == 0 and match.clock < CALM then hunger = 0 end
    for i = 1, rectangles.count do
      local is_eater = has.playerControlled[i]
      local loss = is_eater and hunger * get_hunger_share(health.value[i]) or health.decay[i]
      local value = health.value[i] - loss * dt
      local size = plate.SMALLEST + plate.PER_HEALTH * math.max(0, value)
      health.value[i] = value
      if has.appearance[i] then
        rectangles.appearance.size[i] = rectangles.appearance.size[i] + (size - rectangles.appearance.size[i]) * share
      end
      if has.collision[i] then
        rectangles.collision.size[i] = rectangles.collision.size[i] + (size - rectangles.collision.size[i]) * share
      end
      if value <= 0 or value >= MAX and not is_eater then rectangles.entity[i]:destroy() end
    end
    if q.eaters.count == 0 then world.emit("go", { to = "over" }) end
  end,
}

-- Entities with `health` lose it, and become smaller; without health they disappear. Eaters lose more in each course.
-- The game is over when no eater is left.
local looks, plate = assets.json "looks.json", require "lib.plate"
local MAX = 136 -- health at which a rectangle that grows disappears

return {
  after = "collision",
  when = { match = { phase = "course" } },
  queries = { all = { "health", optional = { "appearance", "collision", "playerControlled" } },
    eaters = { "playerControlled" } },
  update = function(q, dt)
    local match, all, health, has = world.single.match, q.all, q.all.health, q.all.has
    local hunger, share = looks.drain[match.demo and "normal" or settings.hunger] + match.course, math.min(1, 8 * dt)
    for i = 1, all.count do
      local eats = has.playerControlled[i]
      local value = health.value[i] - (eats and hunger or health.decay[i]) * dt
      local size = plate.SMALLEST + plate.PER_HEALTH * math.max(0, value)
      health.value[i] = value
      if has.appearance[i] then
        all.appearance.size[i] = all.appearance.size[i] + (size - all.appearance.size[i]) * share
      end
      if has.collision[i] then
        all.collision.size[i] = all.collision.size[i] + (size - all.collision.size[i]) * share
      end
      if value <= 0 or value >= MAX and not eats then all.entity[i]:destroy() end
    end
    if q.eaters.count == 0 then world.emit("go", { to = "over" }) end
  end,
}

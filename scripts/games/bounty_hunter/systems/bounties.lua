-- Each spawner replaces its bounty some time after a hunter has taken it or its lifetime has ended. Carried bounties
-- follow their hunter as a train; dropped bounties roll. Bounties fade away at the end of their lifetime.
-- RESPAWN: mean seconds until a bounty is replaced; BEHIND: pixels between the bounties of a train; FADE: seconds
local RESPAWN, BEHIND, FADE = 2.2, 26, 2
local function bring(spawner)
  local x, y = 300 + 680 * world.random(), 120 + 480 * world.random()
  if #world.near(x, y, 34, "rock") > 0 then return end -- the spawner tries another position in the next tick
  local value = 1 + math.floor(4.99 * world.random() * world.random())
  spawner.bounty = world.spawn("bounty", { transform = { x = x, y = y }, bounty = { value = value },
    sprite = { frame = 5 + value }, lifetime = 8 + 6 * world.random() })
  spawner.wait = RESPAWN * (0.5 + world.random())
  world.tween(spawner.bounty, "transform.scale_x", 1, 0.4, "back_out", { from = 0 })
end
local function follow(at, target, dt)
  local dx, dy = target.x - at.x, target.y - at.y
  local way = math.sqrt(dx * dx + dy * dy)
  local step = math.max(0, way - BEHIND) / (way + 0.001) * math.min(1, 22 * dt)
  at.x, at.y = at.x + dx * step, at.y + dy * step
end
return {
  after = "walk",
  when = { match = { phase = { "title", "hunt", "tally" } } },
  queries = { spawners = { "spawner" }, trains = { "carried", "transform" }, loose = { "flung", "transform" },
    bounties = { "bounty", "sprite", optional = { "lifetime" } } },
  update = function(q, dt)
    local at, flung, all, trains = q.loose.transform, q.loose.flung, q.bounties, q.trains
    for i = 1, q.spawners.count do
      local spawner = q.spawners.entity[i].spawner
      local there = spawner.bounty:alive() and not spawner.bounty.bounty.taken
      spawner.wait = spawner.wait - (there and 0 or dt)
      if not there and spawner.wait < 0 then bring(spawner) end
    end
    for i = 1, trains.count do follow(trains.entity[i].transform, trains.entity[i].carried.after.transform, dt) end
    for i = 1, q.loose.count do
      at.x[i] = math.max(30, math.min(1250, at.x[i] + flung.vx[i] * dt))
      at.y[i] = math.max(64, math.min(690, at.y[i] + flung.vy[i] * dt))
      flung.vx[i], flung.vy[i] = flung.vx[i] * 0.92, flung.vy[i] * 0.92
    end
    for i = 1, all.count do
      all.bounty.grace[i] = all.bounty.grace[i] - dt
      all.sprite.tint.a[i] = all.has.lifetime[i] and math.min(1, all.lifetime.seconds[i] / FADE) or 1
    end
  end,
}

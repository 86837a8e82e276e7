-- Each spawner replaces its bounty some time after a hunter has taken it or its lifetime has ended. Carried bounties
-- follow their hunter as a train; dropped bounties roll. Bounties fade away at the end of their lifetime.
-- RESPAWN: mean seconds until a bounty is replaced; BEHIND: pixels between bounties of a train; FADE: seconds to fade
local RESPAWN, BEHIND, FADE = 2.2, 26, 2
local function spawn_bounty(spawner)
  local x, y = 300 + 680 * world.random(), 120 + 480 * world.random()
  if #world.near(x, y, 34, "rock") > 0 then return end -- the spawner tries a different position in the next tick
  local value = 1 + math.floor(4.99 * world.random() * world.random())
  spawner.bounty = world.spawn("bounty", { transform = { x = x, y = y }, bounty = { value = value },
    sprite = { frame = 5 + value }, lifetime = 8 + 6 * world.random() })
  spawner.wait = RESPAWN * (0.5 + world.random())
  world.tween(spawner.bounty, "transform.scale_x", 1, 0.4, "back_out", { from = 0 })
end
local function follow(transform, target, dt)
  local dx, dy = target.x - transform.x, target.y - transform.y
  local distance = math.sqrt(dx * dx + dy * dy)
  local step = math.max(0, distance - BEHIND) / (distance + 0.001) * math.min(1, 22 * dt)
  transform.x, transform.y = transform.x + dx * step, transform.y + dy * step
end
return {
  after = "walk",
  when = { match = { phase = { "title", "hunt", "tally" } } },
  queries = { spawners = { "spawner" }, trains = { "carried", "transform" }, loose = { "flung", "transform" },
    bounties = { "bounty", "sprite", optional = { "lifetime" } } },
  update = function(q, dt)
    local transform, flung, bounties, trains = q.loose.transform, q.loose.flung, q.bounties, q.trains
    for i = 1, q.spawners.count do
      local spawner = q.spawners.entity[i].spawner
      local has_bounty = spawner.bounty:alive() and not spawner.bounty.bounty.taken
      spawner.wait = spawner.wait - (has_bounty and 0 or dt)
      if not has_bounty and spawner.wait < 0 then spawn_bounty(spawner) end
    end
    for i = 1, trains.count do follow(trains.entity[i].transform, trains.entity[i].carried.after.transform, dt) end
    for i = 1, q.loose.count do
      transform.x[i] = math.max(30, math.min(1250, transform.x[i] + flung.vx[i] * dt))
      transform.y[i] = math.max(64, math.min(690, transform.y[i] + flung.vy[i] * dt))
      flung.vx[i], flung.vy[i] = flung.vx[i] * 0.92, flung.vy[i] * 0.92
    end
    for i = 1, bounties.count do
      bounties.bounty.grace[i] = bounties.bounty.grace[i] - dt
      bounties.sprite.tint.a[i] = bounties.has.lifetime[i] and math.min(1, bounties.lifetime.seconds[i] / FADE) or 1
    end
  end,
}

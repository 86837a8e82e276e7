-- Spawners bring bounties, a while after the last one was taken or has faded; trains follow, what was dropped rolls.
local RESPAWN, BEHIND, ROCK = 2.2, 26, 8 -- seconds, pixels, a category
local function bring(spawner)
  local x, y = 300 + 680 * world.random(), 120 + 480 * world.random()
  if #world.near(x, y, 34, ROCK) > 0 then return end -- in the next tick, elsewhere
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
  queries = { spawners = { "spawner" }, bounties = { "bounty", "transform", "sprite" } },
  update = function(q, dt)
    for i = 1, q.spawners.count do
      local spawner = q.spawners.entity[i].spawner
      local there = spawner.bounty:alive() and not spawner.bounty.bounty.taken
      if not there then spawner.wait = spawner.wait - dt end
      if not there and spawner.wait < 0 then bring(spawner) end
    end
    for i = 1, q.bounties.count do
      local e = q.bounties.entity[i]
      local at, flung = e.transform, e:has("flung") and e.flung
      e.bounty.grace = e.bounty.grace - dt
      e.sprite.visible = not e:has("lifetime") or e.lifetime.seconds > 2 or world.tick % 10 < 6
      if e:has("carried") then follow(at, e.carried.after.transform, dt) end
      if flung then
        at.x = math.max(30, math.min(1250, at.x + flung.vx * dt))
        at.y = math.max(64, math.min(690, at.y + flung.vy * dt))
        flung.vx, flung.vy = flung.vx * 0.92, flung.vy * 0.92
      end
    end
  end,
}

-- The fleet steps sideways, and down at the edges, to the beat of four notes. The fewer invaders are left, the faster
-- it steps. It drops bombs, and from time to time a saucer crosses the screen above it.
local looks = assets.json "looks.json"
local STEP, DROP = 14, 20 -- STEP: length of a sideways step; DROP: length of a downward step; in pixels

local function step(q, fleet)
  local turns, lowest = false, 0
  for i = 1, q.count do
    turns = turns or math.abs(q.invader.x[i] + STEP * fleet.way - 640) > 580
    lowest = math.max(lowest, q.invader.y[i])
  end
  for i = 1, q.count do
    q.invader.x[i] = q.invader.x[i] + (turns and 0 or STEP * fleet.way)
    q.invader.y[i] = q.invader.y[i] + (turns and DROP or 0)
    q.sprite.frame[i] = looks.rows[q.invader.row[i]].frame + fleet.beat % 2
  end
  if lowest > looks.cannon_y - 36 then -- the fleet has landed: the game is over, even with lives left
    world.single.match.lives = 1
    world.emit("go", { to = "lost" })
  end
  fleet.way, fleet.beat = turns and -fleet.way or fleet.way, fleet.beat + 1
  audio.play("march_" .. fleet.beat % 4 + 1 .. ".wav", { bus = "music", volume = 0.8 })
end

-- Drops a bomb from a low invader near the cannon or near a random position.
local function drop_bomb(q, wave)
  local near, best, min_cost = looks.left + world.random() * 1160, 1, math.huge
  if world.random() < 0.4 then near = world.find("cannon").transform.x end
  for i = 1, q.count do
    local cost = math.abs(q.invader.x[i] - near) - q.invader.y[i]
    if cost < min_cost then best, min_cost = i, cost end
  end
  local y, speed = q.invader.y[best] + 24, math.min(420, 230 + 18 * wave)
  if y > looks.cannon_y - 130 then return end -- the cannon could not dodge a bomb from this close
  local bomb = world.spawn("bomb", { transform = { x = q.invader.x[best], y = y }, mover = { vy = speed },
    lifetime = (looks.ground_y - y) / speed })
  world.tween(bomb, "transform.scale_x", -1, 0.16, "linear", { forever = true, back = true })
end

return {
  when = { match = { phase = "play" } },
  query = { "invader", "transform", "sprite" },
  update = function(q, dt)
    local fleet, wave = world.single.fleet, world.single.match.wave
    if q.count == 0 then return end
    fleet.wait, fleet.bomb_in, fleet.saucer_in = fleet.wait - dt, fleet.bomb_in - dt, fleet.saucer_in - dt
    if fleet.wait <= 0 then
      fleet.wait = 0.06 + math.max(0.30, 0.62 - 0.05 * wave) * q.count / 55
      step(q, fleet)
    end
    if fleet.bomb_in <= 0 and world.count("bomb") < 3 + wave then
      fleet.bomb_in = math.max(0.35, 1.15 - 0.1 * wave) * (0.5 + world.random())
      drop_bomb(q, wave)
    end
    if fleet.saucer_in <= 0 then
      local way = world.random() < 0.5 and -1 or 1
      fleet.saucer_in = 14 + 10 * world.random()
      world.spawn("saucer", { transform = { x = 640 - way * 700 }, mover = { vx = way * 170 } })
    end
    for i = 1, q.count do -- moves each invader smoothly to its new position
      q.transform.x[i] = q.transform.x[i] + (q.invader.x[i] - q.transform.x[i]) * 0.4
      q.transform.y[i] = q.transform.y[i] + (q.invader.y[i] - q.transform.y[i]) * 0.25
    end
  end,
}

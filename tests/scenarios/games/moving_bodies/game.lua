-- Random platforms, driven by paths, tweens, a system and a plugin, and heroes that stand, walk and jump around them.
-- systems/check.lua reports each hero that overlaps a platform without the event `crushed`, or that shakes while it
-- stands on a platform. tests/scenarios/moving_bodies.sh runs it with several seeds.
local LANES = 200
local WIDTH, HEIGHT = 720, 700 -- size of a lane in pixels
local SPEEDS = { 5, 20, 60, 150, 400, 900, 1800 }
local DRIVERS = { "path", "tween", "swing", "shuttle" }

local function between(low, high) return low + (high - low) * world.random() end

-- Spawns a platform that moves between two points.
local function spawn_platform(cx, cy, dx, dy, width, height, one_way)
  local speed, driver = SPEEDS[world.random(#SPEEDS)] * between(0.5, 1), DRIVERS[world.random(#DRIVERS)]
  local x1, y1, x2, y2 = cx - dx, cy - dy, cx + dx, cy + dy
  local e = world.spawn("platform", { transform = { x = x1, y = y1 }, body = { width = width, height = height } })
  local seconds = math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2) / speed
  if one_way then e:add("one_way") end
  if driver == "path" then
    e:add("path", { points = ("%g,%g %g,%g"):format(x1, y1, x2, y2), speed = speed, back = true, next = 2 })
  elseif driver == "tween" then
    local ease = world.random(2) == 1 and "linear" or "sine_in_out"
    world.tween(e, "transform.x", x2, seconds, ease, { forever = true, back = true })
    world.tween(e, "transform.y", y2, seconds, ease, { forever = true, back = true })
  else
    e:add(driver, { x1 = x1, y1 = y1, x2 = x2, y2 = y2, seconds = seconds })
  end
  return e
end

local function spawn_heroes(lane, kind, a, b, place)
  local heroes = {}
  for i = 1, world.random(3) do
    local width, height = between(4, 26), between(4, 40)
    local x, y = place(i, width, height)
    heroes[i] = world.spawn("hero", {
      transform = { x = x, y = y }, body = { width = width, height = height },
      hero = { lane = lane, kind = kind, a = a, b = b or a, act = world.random(4), jump = between(100, 700),
        x = x, y = y },
    })
  end
  for i, hero in ipairs(heroes) do
    hero.hero.other, hero.hero.third = heroes[i % #heroes + 1], heroes[(i + 1) % #heroes + 1]
  end
end

local LANE_KINDS = {
  -- A wide platform, below its heroes.
  lift = function(lane, x, y, one_way)
    local dx = world.random(2) == 1 and between(0, 60) or 0
    local a = spawn_platform(x, y, dx, between(30, 120), 260, between(4, 30), one_way)
    local distance = world.random(2) == 1 and 28 or 70 -- heroes at a distance of 28 pixels may touch
    spawn_heroes(lane, one_way and "one_way" or "lift", a, nil, function(i, _, height)
      return a.transform.x + (i - 2) * distance, a.transform.y - a.body.height / 2 - height / 2 - between(0, 90)
    end)
  end,
  -- A high wall that pushes its heroes along the floor or through the air. With a probability of one half, they are
  -- pushed against a fixed wall.
  wall = function(lane, x, y)
    local a = spawn_platform(x, y, between(30, 120) * (world.random(2) * 2 - 3), 0, between(4, 40), 538)
    local side = a.transform.x < x and 1 or -1
    if world.random(2) == 1 then
      world.spawn("platform", { transform = { x = x + side * 170, y = y }, body = { width = 40, height = 538 } })
    end
    spawn_heroes(lane, "wall", a, nil, function(i) return x + side * i * 40, y + between(-40, 40) end)
  end,
  -- One or two boxes of any size that move in any direction.
  free = function(lane, x, y)
    local a = spawn_platform(x, y, between(-120, 120), between(-120, 120), between(4, 150), between(4, 60))
    local b = world.random(2) == 1 and
      spawn_platform(x, y + 60, between(-120, 120), between(-120, 120), between(4, 150), between(4, 60)) or nil
    spawn_heroes(lane, "free", a, b, function(i) return x + (i - 2) * 40, y - 200 - between(0, 40) end)
  end,
}

return {
  title = "Moving bodies", plugins = { "shuttle" },
  start = function()
    local kinds = { "lift", "wall", "free", "lift" }
    for lane = 1, LANES do
      local x, y = (lane - 1) % 20 * WIDTH + 360, math.floor((lane - 1) / 20) * HEIGHT + 300
      local kind = world.random(#kinds)
      world.spawn("platform", { transform = { x = x, y = y + 290 }, body = { width = 600, height = 40 } })
      LANE_KINDS[kinds[kind]](lane, x, y, kind == 4)
    end
  end,
}

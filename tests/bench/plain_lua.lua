-- The same workloads as a Lua programmer would write them without an entity system: a table per entity, loops over
-- lists. Run by LuaJIT, and by LÖVE through love/main.lua: plain_lua.lua WORKLOAD COUNT TICKS. Prints the same lines as
-- plain/main.c.
local words = ...
if type(words) ~= "table" then words = { ... } end

local bit = require("bit")
local workload, count, ticks = words[1], tonumber(words[2]), tonumber(words[3])
local clock = os.clock

local function print_time(name, seconds, operations)
  print(("time %s %.5f"):format(name, seconds * 1e9 / operations))
end

local function scatter(i)
  local h = (i + 1) * 2654435761 % 2 ^ 32
  return bit.bxor(h, bit.rshift(h, 15)) % 2 ^ 32
end

local run = {}

function run.iterate()
  local list = {}
  for i = 1, count do
    list[i] = { x = i % 1000, y = i % 700, vx = 1 + i % 61, vy = 1 + i % 53 }
  end
  local began = clock()
  for _ = 1, ticks do
    for i = 1, count do
      local e = list[i]
      e.x = e.x + e.vx * (1 / 64)
      e.y = e.y + e.vy * (1 / 64)
    end
  end
  print_time("tables", clock() - began, count * ticks)
end

function run.create()
  local began, made = clock(), 0
  for _ = 1, ticks do
    local list = {}
    for i = 1, count do
      list[i] = { position = { x = i % 1024, y = 0 }, velocity = { x = 1, y = 2 } }
    end
    made = made + #list
  end
  collectgarbage() -- the cost of collecting the entities is part of the result
  assert(made == count * ticks)
  print_time("create", clock() - began, count * ticks)
end

function run.read()
  local list = {}
  for i = 1, count do list[i] = { health = { hp = (i - 1) % 100 } } end
  for i = 1, count do list[i].target = list[scatter(i - 1) % count + 1] end
  local sum
  local began = clock()
  for _ = 1, ticks do
    sum = 0
    for i = 1, count do
      sum = sum + list[i].target.health.hp
    end
  end
  print_time("tables", clock() - began, count * ticks)
  print(("check sum %.17g"):format(sum))
end

function run.events()
  local depth, a, b
  local subscribers = {
    function(hit) depth = depth + hit.depth end, function(hit) a = a + hit.a end, function(hit) b = b + hit.b end,
  }
  local began = clock()
  for _ = 1, ticks do
    depth, a, b = 0, 0, 0
    for i = 0, count - 1 do
      local hit = { a = bit.band(i, 1023), b = bit.band(i, 511), depth = bit.band(i, 15) }
      for k = 1, #subscribers do subscribers[k](hit) end
    end
  end
  print_time("tables", clock() - began, count * ticks)
  print(("check depth %.17g"):format(depth))
  print(("check a %.17g"):format(a))
  print(("check b %.17g"):format(b))
end

-- --- the seven systems

local bxor, lshift, rol, tobit = bit.bxor, bit.lshift, bit.rol, bit.tobit
local WIDTH, HEIGHT = 320, 240

local function advance(s)
  local result = tobit(rol(tobit(s[2] * 5), 7) * 9)
  local t = lshift(s[2], 9)
  s[3], s[4] = bxor(s[3], s[1]), bxor(s[4], s[2])
  s[2], s[1] = bxor(s[2], s[3]), bxor(s[1], s[4])
  s[3], s[4] = bxor(s[3], t), rol(s[4], 11)
  return result
end

local function stream(i)
  local s = {}
  for k = 1, 4 do s[k] = tobit(scatter(i * 4 + k - 1)) end
  return s
end

local function thing(i)
  local third_quarter = i >= count / 2 and i < count / 4 * 3
  local e = { position = { x = scatter(i) % WIDTH, y = scatter(i + count) % HEIGHT } }
  if not (third_quarter and i % 64 == 0) then e.velocity = { x = i % 7, y = i % 5 } end
  if not (third_quarter and i % 64 == 32) then
    e.data = { thingy = i % 1000, dingy = 0, mingy = false, stream = stream(i), numgy = 0 }
  end
  if i % 2 == 0 then
    e.player = { stream = stream(i + count), type = i % 6 == 0 and "hero" or i % 6 == 2 and "monster" or "npc" }
    e.health = { hp = 60 + i % 41, max = 60 + i % 41, status = "spawning" }
    e.damage = { attack = 4 + i % 37, defence = 2 + i % 11 }
    e.sprite = { character = 32 }
  end
  return e
end

local system = {}

function system.movement(list)
  for i = 1, #list do
    local p, v = list[i].position, list[i].velocity
    p.x, p.y = p.x + v.x / 64, p.y + v.y / 64
  end
end

function system.data(list)
  for i = 1, #list do
    local d = list[i].data
    d.thingy, d.dingy, d.mingy = (d.thingy + 1) % 1000000, d.dingy + 0.0001 / 64, not d.mingy
    d.numgy = advance(d.stream)
  end
end

function system.complex(list)
  for i = 1, #list do
    local e = list[i]
    if e.data.thingy % 10 == 0 then
      local wide = advance(e.data.stream) % 2 ^ 32 % 17 - 7
      local narrow = advance(e.data.stream) % 2 ^ 32 % 6
      if e.position.x > e.position.y then
        e.velocity.x, e.velocity.y = wide, narrow
      else
        e.velocity.x, e.velocity.y = narrow, wide
      end
    end
  end
end

function system.health(list)
  for i = 1, #list do
    local h = list[i].health
    if h.hp <= 0 and h.status ~= "dead" then
      h.hp, h.status = 0, "dead"
    elseif h.status == "dead" and h.hp == 0 then
      h.hp, h.status = h.max, "spawning"
    else
      h.status = "alive"
    end
  end
end

function system.damage(list)
  for i = 1, #list do
    local h, d = list[i].health, list[i].damage
    local total = d.attack - d.defence
    if h.hp > 0 and total > 0 then h.hp = math.max(h.hp - total, 0) end
  end
end

local BY_TYPE = { npc = 104, monster = 107, hero = 64 }

function system.sprite(list)
  for i = 1, #list do
    local e = list[i]
    local status = e.health.status
    e.sprite.character = status == "spawning" and 95 or status == "dead" and 124 or BY_TYPE[e.player.type]
  end
end

function system.render(list, grid)
  for i = 1, #list do
    local p = list[i].position
    if p.x >= 0 and p.y >= 0 and p.x < WIDTH and p.y < HEIGHT then
      grid[math.floor(p.y) * WIDTH + math.floor(p.x) + 1] = list[i].sprite.character
    end
  end
end

local ORDER = { "movement", "data", "complex", "health", "damage", "sprite", "render" }
local NEEDS = { movement = { "velocity" }, data = { "data" }, complex = { "data", "velocity" }, health = { "health" },
  damage = { "damage" }, sprite = { "sprite" }, render = { "sprite" } }

local function check_frame7(things, grid)
  local sums = { position = 0, hp = 0, numgy = 0, grid = 0 }
  for _, e in ipairs(things) do
    sums.position = sums.position + e.position.x + e.position.y
    sums.hp = sums.hp + (e.health and e.health.hp or 0)
    sums.numgy = sums.numgy + (e.data and bit.band(e.data.numgy, 0xffff) or 0)
  end
  for i, c in ipairs(grid) do sums.grid = sums.grid + c * (1 + (i - 1) % 97) end
  for name, sum in pairs(sums) do print(("check %s %.17g"):format(name, sum)) end
end

function run.frame7()
  local things, lists, grid = {}, {}, {}
  for i = 0, count - 1 do things[i + 1] = thing(i) end
  for name, needs in pairs(NEEDS) do
    lists[name] = {}
    for _, e in ipairs(things) do
      local all = true
      for _, part in ipairs(needs) do all = all and e[part] end
      if all then table.insert(lists[name], e) end
    end
  end
  for i = 1, WIDTH * HEIGHT do grid[i] = 32 end
  local spent = 0
  for tick = 1, ticks do
    local began = clock()
    for _, name in ipairs(ORDER) do system[name](lists[name], grid) end
    spent = spent + clock() - began
    if tick == 25 then check_frame7(things, grid) end
  end
  print_time("tables", spent, count * ticks)
end

-- --- the bullet hell of bullets/: ships and bullets are tables; flying bullets are in a list; ships find colliding
-- bullets in the cells of a grid.

local HERE = debug.getinfo(1, "S").source:match("^@(.*)$") -- LÖVE has no arg[0]
local DIRECTIONS = dofile(HERE:gsub("[^/]*$", "") .. "bullets/lib/directions.lua")
local LIVES = { [10000] = 5, [17500] = 9, [32000] = 16 } -- lifetime in ticks, by the number of bullets in flight
local SIDE, CELL = 4096, 64
local ROW = SIDE / CELL + 64 -- cells in a row of the grid, including those beyond the edges

local function fire(ships, bullets, life, events)
  for _, ship in ipairs(ships) do
    for k = 1, 10 do
      local way = DIRECTIONS[(ship.turn + k) % 16 + 1]
      bullets[#bullets + 1] = { x = ship.x + way[1], y = ship.y + way[2], vx = way[1] * 64, vy = way[2] * 64,
        radius = 4, category = 2, mask = 1, life = life, kind = "circle", colour = "#ffcc44", alive = true }
    end
    ship.turn = (ship.turn + 1) % 16
    events[#events + 1] = { name = "fired", ship = ship, number = 10 }
  end
end

local function move(list, dt)
  for _, e in ipairs(list) do
    e.x = e.x + e.vx * dt
    e.y = e.y + e.vy * dt
  end
end

local function turn_round(ships)
  for _, ship in ipairs(ships) do
    if ship.x < 0 or ship.x > SIDE then ship.vx = -ship.vx end
    if ship.y < 0 or ship.y > SIDE then ship.vy = -ship.vy end
  end
end

-- Removes bullets that have expired or hit a ship from the list; the rest keep their order.
local function age(bullets, dt)
  local last, kept = #bullets, 0
  for i = 1, last do
    local bullet = bullets[i]
    bullet.life = bullet.life - dt
    if bullet.life > 0 and bullet.alive then
      kept = kept + 1
      bullets[kept] = bullet
    else
      bullet.alive = false
    end
  end
  for i = kept + 1, last do bullets[i] = nil end
end

-- Returns the overlapping pairs as { ship, bullet }.
local function find_contacts(ships, bullets)
  local grid, found, floor = {}, {}, math.floor
  for _, bullet in ipairs(bullets) do
    local at = floor(bullet.y / CELL) * ROW + floor(bullet.x / CELL)
    local cell = grid[at]
    if not cell then
      cell = {}
      grid[at] = cell
    end
    cell[#cell + 1] = bullet
  end
  for _, ship in ipairs(ships) do
    local reach = ship.radius + 4
    for row = floor((ship.y - reach) / CELL), floor((ship.y + reach) / CELL) do
      for column = floor((ship.x - reach) / CELL), floor((ship.x + reach) / CELL) do
        for _, bullet in ipairs(grid[row * ROW + column] or {}) do
          local dx, dy = bullet.x - ship.x, bullet.y - ship.y
          if dx * dx + dy * dy < (ship.radius + bullet.radius) ^ 2 then
            found[#found + 1] = { ship = ship, bullet = bullet }
          end
        end
      end
    end
  end
  return found
end

local function hit(contacts, events)
  for _, contact in ipairs(contacts) do
    if contact.bullet.alive then
      contact.bullet.alive = false
      contact.ship.hp = contact.ship.hp - 1
      events[#events + 1] = { name = "hit", ship = contact.ship, bullet = contact.bullet, damage = 1 }
    end
  end
end

-- Runs the bullet hell. A tick has Shoal's order: lifetimes expire, collisions of the previous tick are handled, ships
-- fire, everything moves, and collisions are found.
function run.bullets()
  local ships, bullets, contacts = {}, {}, {}
  local sums = { fired = 0, hits = 0, damage = 0, x = 0, y = 0, hp = 0 }
  for i = 1, 200 do
    ships[i] = { x = i * i * 1237 % SIDE, y = i * 2411 % SIDE, vx = i % 33 - 16, vy = i % 65 - 32, turn = i % 16,
      radius = 16, category = 1, mask = 2, hp = 0 }
  end
  for _ = 1, ticks do
    local events = {}
    age(bullets, 1 / 64)
    hit(contacts, events)
    fire(ships, bullets, LIVES[count] / 64, events)
    move(ships, 1 / 64)
    move(bullets, 1 / 64)
    turn_round(ships)
    for _, event in ipairs(events) do
      if event.name == "fired" then
        sums.fired = sums.fired + event.number
      else
        sums.hits, sums.damage = sums.hits + 1, sums.damage + event.damage
      end
    end
    contacts = find_contacts(ships, bullets)
  end
  sums.alive = 0
  for _, list in ipairs { ships, bullets } do
    for _, e in ipairs(list) do
      if e.alive ~= false then
        sums.alive, sums.x, sums.y, sums.hp = sums.alive + 1, sums.x + e.x, sums.y + e.y, sums.hp + (e.hp or 0)
      end
    end
  end
  for name, sum in pairs(sums) do print(("check %s %.17g"):format(name, sum)) end
end

run[workload]()

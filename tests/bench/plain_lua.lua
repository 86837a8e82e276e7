-- Implements the workloads of plain/main.c without an entity system, as a Lua programmer would write them: a table per
-- entity, and loops over lists. Run by LuaJIT, and by LÖVE through love/main.lua: plain_lua.lua WORKLOAD COUNT TICKS.
-- Prints the same lines as plain/main.c.
local words = ...
if type(words) ~= "table" then words = { ... } end

local bit, ffi = require("bit"), require("ffi")
local workload, count, ticks = words[1], tonumber(words[2]), tonumber(words[3])

ffi.cdef "typedef struct { long s, ns; } bench_time; int clock_gettime(int, bench_time *);"
local now = ffi.new("bench_time")

-- Returns the CPU time of this process in seconds.
local function clock()
  ffi.C.clock_gettime(2, now)
  return tonumber(now.s) + tonumber(now.ns) * 1e-9
end

local function print_time(name, seconds, operations)
  print(("time %s %.5f"):format(name, seconds * 1e9 / operations))
end

-- Runs `step` in every tick and prints the time of the median tick under `name`. A second function is run and timed in
-- the same way.
local function time_ticks(name, step, second_name, second)
  local times, second_times = {}, {}
  for tick = 1, ticks do
    local began = clock()
    step(tick)
    times[tick] = clock() - began
    if second then
      began = clock()
      second(tick)
      second_times[tick] = clock() - began
    end
  end
  table.sort(times)
  print_time(name, times[math.floor(ticks / 2) + 1], count)
  if not second then return end
  table.sort(second_times)
  print_time(second_name, second_times[math.floor(ticks / 2) + 1], count)
end

local function print_check(name, value)
  print(("check %s %.17g"):format(name, value))
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
  local start, way = 0, 0
  for _, e in ipairs(list) do start, way = start + e.x, way + e.vx * (ticks / 64) end
  time_ticks("tables", function()
    for i = 1, count do
      local e = list[i]
      e.x = e.x + e.vx * (1 / 64)
      e.y = e.y + e.vy * (1 / 64)
    end
  end)
  local sum = 0
  for _, e in ipairs(list) do sum = sum + e.x end
  assert(sum == start + way)
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
  time_ticks("tables", function()
    sum = 0
    for i = 1, count do
      sum = sum + list[i].target.health.hp
    end
  end)
  print_check("sum", sum)
end

function run.errors()
  local total = 0
  local function use(i)
    if i % 10 == 0 then error("broken") end
    return i
  end
  time_ticks("tables", function()
    local sum = 0
    for i = 1, count do
      local ok, result = pcall(use, i)
      if ok then sum = sum + result end
    end
    total = total + sum
  end)
  print_check("count", total)
end

function run.flood()
  local wall, distance, width = {}, {}, math.floor(math.sqrt(count))
  for i = 1, count do wall[i], distance[i] = i * 7919 % 101 < 25, -1 end
  time_ticks("tables", function(tick)
    for i = 1, count do distance[i] = -1 end
    local first, head = (tick - 1) * 997 % count + 1, 1
    local queue = { first }
    distance[first] = 0
    while head <= #queue do
      local cell = queue[head]
      head = head + 1
      local d, x = distance[cell] + 1, (cell - 1) % width
      if x > 0 and distance[cell - 1] < 0 and not wall[cell - 1] then
        distance[cell - 1] = d
        queue[#queue + 1] = cell - 1
      end
      if x < width - 1 and distance[cell + 1] < 0 and not wall[cell + 1] then
        distance[cell + 1] = d
        queue[#queue + 1] = cell + 1
      end
      if cell > width and distance[cell - width] < 0 and not wall[cell - width] then
        distance[cell - width] = d
        queue[#queue + 1] = cell - width
      end
      if cell <= count - width and distance[cell + width] < 0 and not wall[cell + width] then
        distance[cell + width] = d
        queue[#queue + 1] = cell + width
      end
    end
  end)
  local sum = 0
  for i = 1, count do sum = sum + distance[i] * (i % 7 + 1) end
  print_check("distances", sum)
end

local DT = 1 / 64

-- Returns the states of agents by name, and a function that changes the state of an agent.
local function create_states(get_tick)
  local states = {}
  local function enter(e, name)
    local leave = states[e.state].leave
    if leave then leave(e) end
    e.state = name
    states[name].enter(e)
  end
  local function spend(e)
    e.left = e.left - DT
    if e.left <= 0 then enter(e, "idle") end
  end
  states.walk = {
    enter = function(e)
      local angle = e.id * 0.7 + get_tick()
      e.left, e.vx, e.vy = 1, 40 * math.cos(angle), 40 * math.sin(angle)
    end,
    leave = function(e) e.food = e.food + 1 end,
    update = function(e)
      e.x, e.y, e.energy = e.x + e.vx * DT, e.y + e.vy * DT, e.energy - 6 * DT
      spend(e)
    end,
  }
  states.eat = { enter = function(e) e.left = 0.75 end,
    update = function(e) e.hunger = math.max(0, e.hunger - 60 * DT) spend(e) end }
  states.sleep = { enter = function(e) e.left = 1.25 end,
    update = function(e) e.energy = math.min(100, e.energy + 30 * DT) spend(e) end }
  states.idle = { enter = function(e) e.left = 0.5 end, update = function(e)
    e.hunger, e.left = e.hunger + DT, e.left - DT
    if e.left <= 0 then
      enter(e, e.energy < 20 and "sleep" or e.hunger > 60 and "eat" or "walk")
      states[e.state].update(e)
    end
  end }
  return states
end

function run.agents()
  local list, now_tick = {}, 0
  local states = create_states(function() return now_tick end)
  for i = 1, count do
    list[i] = { id = i, x = i * 37 % 1000, y = i * 91 % 700, vx = 0, vy = 0, hunger = i * 13 % 100,
      energy = i * 29 % 100, food = 0, left = i % 50 / 64, state = "idle" }
  end
  time_ticks("tables", function(tick)
    now_tick = tick - 1
    for i = 1, count do
      local e = list[i]
      states[e.state].update(e)
    end
  end)
  local hunger, energy, food = 0, 0, 0
  for i, e in ipairs(list) do
    local weight = i % 7 + 1
    hunger, energy, food = hunger + e.hunger * weight, energy + e.energy * weight, food + e.food * weight
  end
  print_check("hunger", hunger)
  print_check("energy", energy)
  print_check("food", food)
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
  print_check("depth", depth)
  print_check("a", a)
  print_check("b", b)
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
  for name, sum in pairs(sums) do print_check(name, sum) end
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
  time_ticks("tables", function()
    for _, name in ipairs(ORDER) do system[name](lists[name], grid) end
  end, "check", function(tick)
    if tick == 25 then check_frame7(things, grid) end
  end)
end

-- --- ai, paths, nbody, optional, hits and references, as in the games of these names

local DT_S = 1 / 64
local FOOD = { { 100, 100 }, { 900, 120 }, { 500, 600 }, { 80, 650 } }

local function eat(a)
  local food_x, food_y, nearest = 0, 0, 1e9
  for k = 1, 4 do
    local dx, dy = FOOD[k][1] - a.x, FOOD[k][2] - a.y
    local square = dx * dx + dy * dy
    if square < nearest then food_x, food_y, nearest = dx, dy, square end
  end
  if nearest < 25 then
    a.hunger = 0
  else
    local distance = math.sqrt(nearest)
    a.x, a.y = a.x + food_x / distance * 40 * DT_S, a.y + food_y / distance * 40 * DT_S
  end
end

local function think(a)
  a.hunger, a.fear = a.hunger + 3 * DT_S, math.max(a.fear - 2 * DT_S, 0)
  if a.fear > 80 then
    a.mode, a.x, a.energy = "flee", a.x + 60 * DT_S, a.energy - 5 * DT_S
  elseif a.energy < 20 then
    a.mode, a.energy = "rest", a.energy + 10 * DT_S
  elseif a.hunger > 60 then
    a.mode = "eat"
    eat(a)
  elseif a.energy > 90 then
    a.mode, a.y, a.energy, a.fear = "hunt", a.y + 50 * DT_S, a.energy - 8 * DT_S, a.fear + 5 * DT_S
  else
    a.mode, a.energy = "idle", a.energy + DT_S
  end
end

function run.ai()
  local list = {}
  for i = 1, count do
    list[i] = { x = i * 37 % 1000, y = i * 91 % 700, hunger = i * 13 % 100, fear = i * 29 % 100,
      energy = i * 53 % 100, mode = "idle" }
  end
  time_ticks("tables", function()
    for i = 1, count do think(list[i]) end
  end)
  local place, needs = 0, 0
  for _, a in ipairs(list) do place, needs = place + a.x + a.y, needs + a.hunger + a.fear + a.energy end
  print(("about place %.17g"):format(place)) -- positions are doubles here, not f32, so a few animals act differently
  print(("about needs %.17g"):format(needs))
end

-- --- movers, as in plain/movers.c

local WALLS = {}

local function is_solid(column, row)
  return column >= 0 and row >= 0 and column < 200 and row < 60 and WALLS[row * 200 + column]
end

-- Returns the part of a movement along one axis that no wall blocks: a box that extends from `low` to `high` along this
-- axis, and over the cells from `first` to `last` along the other.
local function limit(dx, low, high, first, last, is_wall_at)
  local from = math.floor((dx > 0 and high or low + dx) / 16)
  local to = math.ceil((dx > 0 and high + dx or low) / 16) - 1
  for along = from, to do
    for across = first, last do
      if is_wall_at(along, across) then
        local gap = dx > 0 and along * 16 - high or (along + 1) * 16 - low
        if dx > 0 and gap >= 0 then
          dx = math.min(dx, gap)
        elseif dx < 0 and gap <= 0 then
          dx = math.max(dx, gap)
        end
      end
    end
  end
  return dx
end

local function is_solid_at(row, column) return is_solid(column, row) end

local function steer(e, dt)
  local column, row = math.floor((e.x + e.dir * 8) / 16), math.floor((e.y + 4) / 16)
  e.wait = e.wait - dt
  if e.on_wall or e.on_floor and not (is_solid(column, row) or is_solid(column, row + 1)) then
    if e.wait < 0 and e.on_floor then
      e.vy, e.wait = -186, 2
    else
      e.dir = -e.dir
    end
  end
  e.vx, e.vy = e.dir * e.speed, math.min(e.vy + 12, 420)
end

local function slide(e, dt)
  local left, top, right, bottom, dx, dy = e.x - 6, e.y - 9, e.x + 6, e.y, e.vx * dt, e.vy * dt
  local moved_x = limit(dx, left, right, math.floor(top / 16 + 1e-3), math.ceil(bottom / 16 - 1e-3) - 1, is_solid)
  left, right = left + moved_x, right + moved_x
  local moved_y = limit(dy, top, bottom, math.floor(left / 16 + 1e-3), math.ceil(right / 16 - 1e-3) - 1, is_solid_at)
  e.x, e.y = e.x + moved_x, e.y + moved_y
  e.on_wall, e.on_floor = moved_x ~= dx, dy > 0 and moved_y < dy
  if moved_x ~= dx then e.vx = 0 end
  if moved_y ~= dy then e.vy = 0 end
end

function run.movers()
  for row = 0, 59 do
    for column = 0, 199 do
      WALLS[row * 200 + column] = row == 0 or row == 59 or column == 0 or column == 199
        or row % 6 == 5 and (column * 7 + row * 3) % 23 > 5 or (column * 31 + row * 17) % 97 == 0
    end
  end
  local list = {}
  for i = 1, count do
    list[i] = { x = 40 + i * 37 % 3100, y = 78 + i % 9 * 96, vx = 0, vy = 0, speed = 20 + i % 30, dir = 1, wait = 0,
      on_floor = false, on_wall = false }
  end
  time_ticks("tables", function()
    for i = 1, #list do steer(list[i], 1 / 64) end
    for i = 1, #list do slide(list[i], 1 / 64) end
  end)
  local place, standing, turns = 0, 0, 0
  for _, e in ipairs(list) do
    place, standing, turns = place + e.x * 3 + e.y, standing + (e.on_floor and 1 or 0), turns + e.dir
  end
  print_check("place", place)
  print_check("standing", standing)
  print_check("turns", turns)
end

function run.paths()
  local cells, width = {}, math.floor(math.sqrt(count))
  for i = 1, count do cells[i] = { cost = 1 + i * 7 % 5, distance = 0 } end
  time_ticks("clear", function(tick)
    for i = 1, count do cells[i].distance = 1e6 end
    cells[(tick - 1) * 997 % count + 1].distance = 0
  end, "tables", function()
    for i = width + 1, count - width do
      local cell = cells[i]
      local best = math.min(cells[i - 1].distance, cells[i + 1].distance, cells[i - width].distance,
        cells[i + width].distance) + cell.cost
      if best < cell.distance then cell.distance = best end
    end
  end)
  local sum = 0
  for _, cell in ipairs(cells) do sum = sum + cell.distance end
  print_check("distance", sum)
end

function run.nbody()
  local stars = {}
  for i = 1, count do stars[i] = { x = i * 37 % 1000, y = i * 91 % 700, mass = 1 + i % 3, vx = 0, vy = 0 } end
  time_ticks("tables", function()
    for i = 1, count do
      local star = stars[i]
      local pull_x, pull_y = 0, 0
      for k = 1, count do
        local other = stars[k]
        local dx, dy = other.x - star.x, other.y - star.y
        local square = dx * dx + dy * dy + 25
        local pull = other.mass / (square * math.sqrt(square))
        pull_x, pull_y = pull_x + dx * pull, pull_y + dy * pull
      end
      star.vx, star.vy = star.vx + pull_x * DT_S, star.vy + pull_y * DT_S
    end
  end)
  local sum = 0
  for _, star in ipairs(stars) do sum = sum + star.vx + star.vy end
  print(("about double %.17g"):format(sum)) -- speeds are doubles here, not f32
end

function run.optional()
  local things = {}
  for i = 1, count do
    things[i] = { x = i % 100, vx = 1, hp = 100, burning = i % 10 == 0 and { rate = 2 } or nil,
      shield = i % 100 == 0 and { left = 5 } or nil }
  end
  time_ticks("tables", function()
    for i = 1, count do
      local item = things[i]
      item.x = item.x + item.vx * DT_S
      local burning, shield = item.burning, item.shield
      if burning and shield and shield.left > 0 then
        shield.left = shield.left - DT_S
      elseif burning then
        item.hp = item.hp - burning.rate * DT_S
      end
    end
  end)
  local x, hp, left = 0, 0, 0
  for _, item in ipairs(things) do
    x, hp, left = x + item.x, hp + item.hp, left + (item.shield and item.shield.left or 0)
  end
  print_check("x", x)
  print_check("hp", hp)
  print_check("left", left)
end

function run.hits()
  local units, hits = {}, {}
  for i = 1, count do units[i] = { hp = 100, power = i % 5 } end
  for i = 1, count do units[i].target = units[i * 7919 % count + 1] end
  time_ticks("attack", function(tick)
    hits = {}
    for i = 1, count do
      if (i + tick - 1) % 10 == 0 then
        hits[#hits + 1] = { target = units[i].target, power = units[i].power }
      end
    end
  end, "defend", function()
    for i = 1, #hits do
      local unit = hits[i].target
      local left = unit.hp - hits[i].power
      if left <= 0 then left = 100 end
      unit.hp = left
    end
  end)
  local sum = 0
  for i, unit in ipairs(units) do sum = sum + unit.hp * (1 + i % 97) end
  print_check("hp", sum)
end

function run.sparks()
  local list = {}
  for i = 1, count do list[i] = { x = 0, y = 0, vx = 1, vy = 2, age = i % 64 / 64, life = 1 } end
  time_ticks("fly", function()
    local alive, last = 0, #list
    for i = 1, last do
      local s = list[i]
      s.age = s.age + 1 / 64
      s.x, s.y, s.vy = s.x + s.vx / 64, s.y + s.vy / 64, s.vy + 9.75 / 64
      if s.age < s.life then
        alive = alive + 1
        list[alive] = s
      end
    end
    for i = alive + 1, last do list[i] = nil end
  end, "light", function()
    for i = 1, count - #list do
      list[#list + 1] = { x = i % 100, y = 0, vx = i % 7, vy = 2, age = 0, life = 1 }
    end
  end)
  local x, y = 0, 0
  for _, s in ipairs(list) do x, y = x + s.x, y + s.y * (1 + s.age) end
  print_check("count", #list)
  print_check("x", x)
  print_check("y", y)
end

function run.labels()
  local list = {}
  for i = 0, count - 1 do
    local r, c = math.floor(i / 10) + 1, i % 10 + 1
    list[i + 1] = { name = "u" .. r .. "_" .. c, hp = r * c, gold = 0, text = "x" }
  end
  time_ticks("write", function()
    for i = 1, count do
      local s = list[i]
      s.hp = (s.hp + 1) % 1000
      s.gold = s.gold + 3
      s.text = s.name .. " hp " .. s.hp .. " gold " .. string.format("%d", s.gold)
    end
  end)
  local hash = 0
  for i = 1, count do
    for _, byte in ipairs { list[i].text:byte(1, -1) } do hash = (hash * 31 + byte) % 2147483647 end
  end
  print_check("texts", hash)
end

function run.references()
  local seekers = {}
  for i = 1, count do seekers[i] = { x = i % 1000, y = i % 700, vx = 0, vy = 0 } end
  for i = 1, count do seekers[i].target = seekers[(i * 2654435 % 4194301 * 1021 + i) % count + 1] end
  time_ticks("tables", function()
    for i = 1, count do
      local seeker = seekers[i]
      local target = seeker.target
      seeker.vx = seeker.vx + (target.x - seeker.x) * DT_S
      seeker.vy = seeker.vy + (target.y - seeker.y) * DT_S
    end
  end)
  local sum = 0
  for i, seeker in ipairs(seekers) do sum = sum + seeker.vx * (1 + i % 97) + seeker.vy end
  print_check("speed", sum)
end

-- --- lists and cards, as in the games of these names

local HERE = debug.getinfo(1, "S").source:match("^@(.*)$"):gsub("[^/]*$", "") -- LÖVE has no arg[0]
local RECIPES = dofile(HERE .. "lists/lib/recipes.lua")

local function count_items(items, kind)
  local n = 0
  for i = 1, #items do
    if items[i] == kind then n = n + 1 end
  end
  return n
end

local function take_items(items, kind, n)
  for i = #items, 1, -1 do
    if n > 0 and items[i] == kind then
      table.remove(items, i)
      n = n - 1
    end
  end
end

local function make_item(crafter)
  local items, recipe = crafter.items, RECIPES[crafter.makes]
  for _, need in ipairs(recipe.needs) do
    if count_items(items, need[1]) < need[2] then
      crafter.failures = crafter.failures + 1
      return
    end
  end
  for _, need in ipairs(recipe.needs) do take_items(items, need[1], need[2]) end
  items[#items + 1] = recipe.gives
  crafter.made = crafter.made + 1
end

function run.lists()
  local crafters = {}
  for i = 1, count do crafters[i] = { id = i, makes = i % 3 + 1, made = 0, failures = 0, items = { i % 3 + 1 } } end
  time_ticks("tables", function(tick)
    for i = 1, count do
      local items, id = crafters[i].items, crafters[i].id
      if (id + tick - 1) % 4 == 0 and #items < 10 then items[#items + 1] = (id * 7 + tick - 1) % 3 + 1 end
    end
    for i = 1, count do make_item(crafters[i]) end
    for i = 1, count do
      local items = crafters[i].items
      for kind = 11, 13 do
        if count_items(items, kind) >= 3 then take_items(items, kind, 3) end
      end
    end
  end)
  local made, failures, sum = 0, 0, 0
  for i, crafter in ipairs(crafters) do
    made, failures = made + crafter.made * (i % 11), failures + crafter.failures * (i % 7)
    for k, item in ipairs(crafter.items) do sum = sum + item * k * (i % 13) end
  end
  print_check("made", made)
  print_check("failures", failures)
  print_check("items", sum)
end

local SUITS = { "hearts", "spades", "clubs", "diamonds" }
local RANKS = { "ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king" }

local function describe_card(card)
  return RANKS[card.rank] .. " of " .. card.suit
end

local function count_pairs(hand)
  local pair_count, last = 0, 0
  for _, card in ipairs(hand) do
    if card.rank == last then pair_count = pair_count + 1 end
    last = card.rank
  end
  return pair_count
end

local function deal(cards, round)
  local deck, said = {}, {}
  for i, card in ipairs(cards) do deck[i] = card end
  for i = #deck, 2, -1 do
    round.seed = round.seed * 75 % 65537
    local k = round.seed % i + 1
    deck[i], deck[k] = deck[k], deck[i]
  end
  for player = 1, 8 do
    local hand, names = {}, {}
    for k = 1, 5 do
      local card = deck[(player - 1) * 5 + k]
      card.holder = player
      hand[k] = card
    end
    table.sort(hand, function(a, b)
      if a.rank ~= b.rank then return a.rank < b.rank end
      return a.suit < b.suit
    end)
    for k, card in ipairs(hand) do names[k] = describe_card(card) end
    if count_pairs(hand) > 1 then round.wins = round.wins + 1 end
    said[player] = ("player %d: %s"):format(player, table.concat(names, ", "))
  end
  return said
end

function run.cards()
  local cards, round, said = {}, { seed = 1, wins = 0 }, nil
  for i = 0, count - 1 do
    cards[i + 1] = { suit = SUITS[math.floor(i / 13) % 4 + 1], rank = i % 13 + 1, holder = 0 }
  end
  time_ticks("tables", function(tick) said = deal(cards, round)[(tick - 1) % 8 + 1] end)
  local holders, hash = 0, 0
  for i, card in ipairs(cards) do holders = holders + card.holder * (i % 11) end
  for _, byte in ipairs { said:byte(1, -1) } do hash = (hash * 31 + byte) % 2147483647 end
  print_check("wins", round.wins)
  print_check("holders", holders)
  print_check("said", hash)
end

-- --- the bullet hell of bullets/: ships and bullets are tables, and a grid finds their collisions

local DIRECTIONS = dofile(HERE .. "bullets/lib/directions.lua")
local LIVES = { [10000] = 5, [17500] = 9, [32000] = 16 } -- lifetime in ticks, by the number of bullets in flight
local SIDE, CELL = 4096, 64
local ROW = SIDE / CELL + 64 -- number of cells in a row of the grid, including cells beyond the edges

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
  for name, sum in pairs(sums) do print_check(name, sum) end
end

-- Runs as many functions as there are systems, each compiled from its own source, over ten entities.
function run.small_systems()
  local list, systems = {}, {}
  for i = 1, 10 do list[i] = { x = 0, v = i % 2 + 1 } end
  for i = 1, count do
    systems[i] = loadstring("return function(list, dt) "
      .. "for i = 1, #list do local e = list[i] e.x = e.x + e.v * dt end end")()
  end
  time_ticks("tables", function()
    for i = 1, count do systems[i](list, 1 / 64) end
  end)
  local x = 0
  for _, e in ipairs(list) do x = x + e.x end
  print_check("x", x)
end

run[workload]()

-- Implements the workloads of plain/main.c with LuaJIT's FFI arrays, one per field, as a Lua programmer would write
-- them for speed. Run by LuaJIT: plain_arrays.lua WORKLOAD COUNT TICKS. Prints the same lines as plain/main.c. Rows are
-- counted from 0.
local bit, ffi = require("bit"), require("ffi")
local workload, count, ticks = arg[1], tonumber(arg[2]), tonumber(arg[3])
local bxor, lshift, rol, tobit = bit.bxor, bit.lshift, bit.rol, bit.tobit
local floor, max, min, sqrt = math.floor, math.max, math.min, math.sqrt
local DT_S = 1 / 64

ffi.cdef "typedef struct { long s, ns; } bench_time; int clock_gettime(int, bench_time *);"
local now = ffi.new("bench_time")

-- Returns the CPU time of this process in seconds.
local function clock()
  ffi.C.clock_gettime(2, now)
  return tonumber(now.s) + tonumber(now.ns) * 1e-9
end

local samples, names = {}, {} -- samples: lists of times by name; names: the names in order of first use

-- Runs `step` and records the time of one tick.
local function timed(name, step, ...)
  if not samples[name] then
    samples[name] = {}
    table.insert(names, name)
  end
  local began = clock()
  step(...)
  table.insert(samples[name], clock() - began)
end

local function print_times()
  for _, name in ipairs(names) do
    table.sort(samples[name])
    print(("time %s %.5f"):format(name, samples[name][floor(#samples[name] / 2) + 1] * 1e9 / count))
  end
end

local function sum_of(...)
  local sum = 0
  for _, column in ipairs { ... } do
    for i = 0, count - 1 do sum = sum + column[i] end
  end
  return sum
end

local function print_check(name, ...)
  print(("check %s %.17g"):format(name, sum_of(...)))
end

local function floats() return ffi.new("float[?]", count) end
local function integers() return ffi.new("int32_t[?]", count) end

local function bodies()
  local b = { x = floats(), y = floats(), vx = floats(), vy = floats() }
  for i = 1, count do
    b.x[i - 1], b.y[i - 1], b.vx[i - 1], b.vy[i - 1] = i % 1000, i % 700, i % 61 - 30, i % 53 - 26
  end
  return b
end

local function move(b)
  local x, y, vx, vy = b.x, b.y, b.vx, b.vy
  for i = 0, count - 1 do
    x[i] = x[i] + vx[i] * DT_S
    y[i] = y[i] + vy[i] * DT_S
  end
end

local run = {}

function run.iterate()
  local b = bodies()
  for i = 1, count do b.vx[i - 1], b.vy[i - 1] = 1 + i % 61, 1 + i % 53 end
  for _ = 1, ticks do timed("iterate", move, b) end
  print_check("x", b.x)
  print_check("y", b.y)
end

-- --- the systems of rows/

local WIDTH, HEIGHT, DEAD, ALIVE, WELL = 1000, 700, 1, 0, 2
local system = { move = move, push = move }

function system.health(c)
  local hp, status = c.hp, c.status
  for i = 0, count - 1 do
    if hp[i] <= 0 and status[i] ~= DEAD then
      hp[i], status[i] = 0, DEAD
    elseif status[i] == DEAD and hp[i] == 0 then
      hp[i], status[i] = c.max[i], ALIVE
    else
      status[i] = WELL
    end
  end
end

function system.damage(c)
  for i = 0, count - 1 do
    local total, hp = c.attack[i] - c.defence[i], c.hp[i]
    if hp > 0 and total > 0 then c.hp[i] = max(hp - total, 0) end
  end
end

function system.complex(c)
  for i = 0, count - 1 do
    if c.thought[i] % 10 == 0 then
      local one = c.noise[i] * 16807 % 2147483647
      local two = one * 16807 % 2147483647
      local wide, narrow = one % 17 - 7, two % 6
      c.noise[i] = two
      if c.x[i] > c.y[i] then
        c.vx[i], c.vy[i] = wide, narrow
      else
        c.vx[i], c.vy[i] = narrow, wide
      end
    end
  end
end

function system.drift(c)
  local x, y, vx, vy = c.x, c.y, c.vx, c.vy
  for i = 0, count - 1 do
    x[i] = x[i] + vx[i] * DT_S
    y[i] = y[i] + vy[i] * DT_S
    if x[i] < 0 and vx[i] < 0 or x[i] > WIDTH and vx[i] > 0 then vx[i] = -vx[i] end
    if y[i] < 0 and vy[i] < 0 or y[i] > HEIGHT and vy[i] > 0 then vy[i] = -vy[i] end
  end
end

function system.wrap(c)
  for i = 0, count - 1 do
    local x, y, margin = c.x[i], c.y[i], c.margin[i]
    if x < -margin then
      c.x[i] = x + WIDTH + 2 * margin
    elseif x > WIDTH + margin then
      c.x[i] = x - WIDTH - 2 * margin
    end
    if y < -margin then
      c.y[i] = y + HEIGHT + 2 * margin
    elseif y > HEIGHT + margin then
      c.y[i] = y - HEIGHT - 2 * margin
    end
  end
end

function system.particles(c)
  for i = 0, count - 1 do
    local part = max(c.left[i] / c.life[i], 0)
    c.alpha[i] = c.peak[i] * part
    if c.shrinks[i] then c.scale[i] = 0.25 + 0.5 * part end
    local keep = 1 - c.drag[i] * DT_S
    c.vx[i] = c.vx[i] * keep
    c.vy[i] = c.vy[i] * keep
  end
end

function system.counter(c)
  for i = 0, count - 1 do
    if c.heat[i] > c.limit[i] then c.hits[i] = min(c.hits[i] + 1, 1000) end
  end
end

function system.turn(c, time)
  for i = 0, count - 1 do
    c.angle[i] = math.atan2(c.vy[i], c.vx[i]) + 0.125 * math.sin(time + c.wave[i])
  end
end

function system.orbit(c)
  local x, y, vx, vy = c.x, c.y, c.vx, c.vy
  for i = 0, count - 1 do
    local dx, dy = 500 - x[i], 350 - y[i]
    local square = dx * dx + dy * dy + 1
    local pull = 1000 / (square * sqrt(square)) * DT_S
    vx[i] = vx[i] + dx * pull
    vy[i] = vy[i] + dy * pull
  end
end

function system.chase(c)
  local x, y, vx, vy, prey = c.x, c.y, c.vx, c.vy, c.prey
  for i = 0, count - 1 do
    local row = prey[i]
    local dx, dy = x[row] - x[i], y[row] - y[i]
    local far = sqrt(dx * dx + dy * dy)
    if far > 1 then
      vx[i] = vx[i] + dx / far * DT_S
      vy[i] = vy[i] + dy / far * DT_S
    end
  end
end

-- Returns the columns of each system, with the values of rows/systems/setup.lua.
local function rows_columns()
  local c = { move = bodies(), push = bodies(), complex = bodies(), drift = bodies(), orbit = bodies(),
    chase = bodies(), turn = bodies(), particles = bodies(), wrap = { x = floats(), y = floats(), margin = floats() },
    health = { hp = integers(), max = integers(), status = integers() },
    damage = { hp = integers(), attack = integers(), defence = integers() },
    counter = { heat = floats(), limit = floats(), hits = integers() } }
  c.complex.thought, c.complex.noise = integers(), ffi.new("double[?]", count)
  c.turn.angle, c.turn.wave, c.chase.prey = floats(), floats(), integers()
  for _, name in ipairs { "alpha", "scale", "left", "life", "peak", "drag" } do c.particles[name] = floats() end
  c.particles.shrinks = ffi.new("bool[?]", count)
  for row = 0, count - 1 do
    local i = row + 1
    c.health.hp[row], c.health.max[row], c.health.status[row] = i % 100 - 50, 100, i % 3
    c.damage.hp[row], c.damage.attack[row], c.damage.defence[row] = i % 5000, i % 7, i % 5
    c.complex.thought[row], c.complex.noise[row] = i % 10, i % 65521
    c.wrap.x[row], c.wrap.y[row], c.wrap.margin[row] = i % 1500 - 250, i % 900 - 150, i % 32
    c.particles.life[row], c.particles.left[row], c.particles.peak[row] = 2 ^ (i % 4), i % 9 / 4, i % 4 / 4
    c.particles.drag[row], c.particles.shrinks[row] = i % 8 * 0.125, i % 2 == 0
    c.turn.wave[row] = i % 64 / 8
    c.counter.heat[row], c.counter.limit[row], c.counter.hits[row] = i % 7, i % 5, i % 1000
    c.chase.prey[row] = i * 7919 % count
  end
  return c
end

local ORDER = { "move", "push", "health", "damage", "complex", "drift", "wrap", "particles", "counter", "turn", "orbit",
  "chase" }

function run.rows()
  local c = rows_columns()
  for tick = 1, ticks do
    for _, name in ipairs(ORDER) do timed(name, system[name], c[name], (tick - 1) * DT_S) end
  end
  print_check("move", c.move.x, c.move.y)
  print_check("push", c.push.x, c.push.y)
  print_check("health", c.health.hp, c.health.status)
  print_check("damage", c.damage.hp)
  print_check("complex", c.complex.vx, c.complex.vy, c.complex.noise)
  print_check("drift", c.drift.x, c.drift.y, c.drift.vx, c.drift.vy)
  print_check("wrap", c.wrap.x, c.wrap.y)
  print_check("particles", c.particles.alpha, c.particles.scale, c.particles.vx, c.particles.vy)
  print_check("counter", c.counter.hits)
  print(("about turn %.17g"):format(sum_of(c.turn.angle))) -- the angles depend on glibc's sine and arc tangent
  print_check("orbit", c.orbit.vx, c.orbit.vy)
  print_check("chase", c.chase.vx, c.chase.vy)
end

-- --- the seven systems of frame7/

local GRID_WIDTH, GRID_HEIGHT = 320, 240
local NPC, MONSTER, HERO = 0, 1, 2
local SPAWNING, FALLEN, STANDING = 0, 1, 2

local function scatter(i)
  local n = i + 1
  local h = (n % 65536 * 2654435761 + floor(n / 65536) * 2654435761 % 65536 * 65536) % 2 ^ 32
  return bxor(h, bit.rshift(h, 15)) % 2 ^ 32
end

local function advance(g, i)
  local s0, s1, s2, s3 = g.s0, g.s1, g.s2, g.s3
  local a, b = s0[i], s1[i]
  local c, d = bxor(s2[i], a), bxor(s3[i], b)
  s0[i], s1[i], s2[i], s3[i] = bxor(a, d), bxor(b, c), bxor(c, lshift(b, 9)), rol(d, 11)
  return tobit(rol(tobit(b * 5), 7) * 9)
end

local frame = {}

function frame.movement(g)
  local x, y, vx, vy = g.x, g.y, g.vx, g.vy
  for i = 0, g.moving - 1 do
    x[i] = x[i] + vx[i] * DT_S
    y[i] = y[i] + vy[i] * DT_S
  end
end

function frame.data(g)
  local thingy, dingy, mingy, numgy = g.thingy, g.dingy, g.mingy, g.numgy
  for i = 0, g.with_data - 1 do
    local next_thingy = thingy[i] + 1
    thingy[i] = next_thingy >= 1000000 and 0 or next_thingy
    dingy[i] = dingy[i] + 0.0001 * DT_S
    mingy[i] = not mingy[i]
    numgy[i] = advance(g, i)
  end
end

function frame.complex(g)
  for i = 0, g.both - 1 do
    if g.thingy[i] % 10 == 0 then
      local wide = advance(g, i) % 2 ^ 32 % 17 - 7
      local narrow = advance(g, i) % 2 ^ 32 % 6
      if g.x[i] > g.y[i] then
        g.vx[i], g.vy[i] = wide, narrow
      else
        g.vx[i], g.vy[i] = narrow, wide
      end
    end
  end
end

function frame.health(g)
  local hp, status = g.hp, g.status
  for i = 0, g.players - 1 do
    if hp[i] <= 0 and status[i] ~= FALLEN then
      hp[i], status[i] = 0, FALLEN
    elseif status[i] == FALLEN and hp[i] == 0 then
      hp[i], status[i] = g.max[i], SPAWNING
    else
      status[i] = STANDING
    end
  end
end

function frame.damage(g)
  local hp = g.hp
  for i = 0, g.players - 1 do
    local total = g.attack[i] - g.defence[i]
    if hp[i] > 0 and total > 0 then hp[i] = max(hp[i] - total, 0) end
  end
end

function frame.sprite(g)
  local status, type, sprite = g.status, g.type, g.sprite
  for i = 0, g.players - 1 do
    if status[i] == SPAWNING then
      sprite[i] = 95
    elseif status[i] == FALLEN then
      sprite[i] = 124
    else
      sprite[i] = type[i] == HERO and 64 or type[i] == MONSTER and 107 or 104
    end
  end
end

function frame.render(g)
  local x, y, sprite, grid, position = g.x, g.y, g.sprite, g.grid, g.sprite_position
  for i = 0, g.players - 1 do
    local px, py = x[position[i]], y[position[i]]
    if px >= 0 and py >= 0 and px < GRID_WIDTH and py < GRID_HEIGHT then
      grid[floor(py) * GRID_WIDTH + floor(px)] = sprite[i]
    end
  end
end

-- Entities with velocity and data come first, then entities with velocity only, then entities with data only.
local function has_parts(i)
  local third_quarter = i >= count / 2 and i < count / 4 * 3
  return not (third_quarter and i % 64 == 0), not (third_quarter and i % 64 == 32)
end

local function add_player(g, i, position)
  local row = g.players
  g.type[row] = i % 6 == 0 and HERO or i % 6 == 2 and MONSTER or NPC
  g.hp[row], g.max[row], g.attack[row], g.defence[row] = 60 + i % 41, 60 + i % 41, 4 + i % 37, 2 + i % 11
  g.sprite[row], g.sprite_position[row], g.players = 32, position, row + 1
end

local function make_frame()
  local g = { both = 0, moving = 0, with_data = 0, players = 0, dingy = ffi.new("double[?]", count),
    mingy = ffi.new("bool[?]", count), sprite = ffi.new("uint8_t[?]", count),
    grid = ffi.new("uint8_t[?]", GRID_WIDTH * GRID_HEIGHT) }
  for _, name in ipairs { "x", "y", "vx", "vy" } do g[name] = floats() end
  for _, name in ipairs { "thingy", "s0", "s1", "s2", "s3", "numgy", "type", "hp", "max", "status", "attack", "defence",
    "sprite_position" } do
    g[name] = integers()
  end
  ffi.fill(g.grid, GRID_WIDTH * GRID_HEIGHT, 32)
  for i = 0, count - 1 do
    local moves, has_data = has_parts(i)
    g.both = g.both + (moves and has_data and 1 or 0)
    g.moving, g.with_data = g.moving + (moves and 1 or 0), g.with_data + (has_data and 1 or 0)
  end
  local both, moving, with_data = 0, g.both, g.both
  for i = 0, count - 1 do
    local moves, has_data = has_parts(i)
    local data_row = moves and has_data and both or with_data
    local position = not moves and g.moving + with_data - g.both or has_data and both or moving
    g.x[position], g.y[position] = scatter(i) % GRID_WIDTH, scatter(i + count) % GRID_HEIGHT
    if moves then g.vx[position], g.vy[position] = i % 7, i % 5 end
    if has_data then
      g.thingy[data_row] = i % 1000
      for k = 0, 3 do g["s" .. k][data_row] = tobit(scatter(i * 4 + k)) end
    end
    both, moving = both + (moves and has_data and 1 or 0), moving + (has_data and 0 or 1)
    with_data = with_data + (moves and 0 or 1)
    if i % 2 == 0 then add_player(g, i, position) end
  end
  return g
end

local FRAME = { "movement", "data", "complex", "health", "damage", "sprite", "render" }

local function run_frame(g)
  for _, name in ipairs(FRAME) do frame[name](g) end
end

local function check_frame(g)
  print_check("position", g.x, g.y)
  print_check("hp", g.hp)
  local numgy, cells = 0, 0
  for i = 0, g.with_data - 1 do numgy = numgy + bit.band(g.numgy[i], 0xffff) end
  for i = 0, GRID_WIDTH * GRID_HEIGHT - 1 do cells = cells + g.grid[i] * (1 + i % 97) end
  print(("check numgy %.17g"):format(numgy))
  print(("check grid %.17g"):format(cells))
end

function run.frame7()
  local g = make_frame()
  for tick = 1, ticks do
    timed("frame7", run_frame, g)
    if tick == 25 then check_frame(g) end
  end
end

run[workload]()
print_times()

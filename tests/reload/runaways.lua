-- Writes a game of endless scripts: luajit tests/reload/runaways.lua FOLDER COUNT SEED [KIND]. Each of its COUNT
-- functions starts to run endlessly in its own tick, after writing to the world in every way. With KIND `tame`, the
-- functions do nothing in that tick; at the end, the world must equal the world of the game without KIND. With KIND
-- `told`, the functions are event handlers and `enter` functions; their undelivered events and entities are kept, so
-- that the world differs from the world of `tame`. Prints the number of ticks to run; the file `lines` lists the source
-- lines that reports must name.
local folder, count, seed, tame, told = arg[1], tonumber(arg[2]), tonumber(arg[3]), arg[4] == "tame", arg[4] == "told"

-- Endless code: { name, code }. Some entries end with an error (a recursion, a sort with an invalid order), which is
-- accepted. For entries with `line`, the report must name the line of the code, whether it is compiled or not.
local KINDS = {
  { "empty loop", "while true do end", line = true },
  { "counting loop", "local n = 0 while true do n = n + 1 end", line = true },
  { "repeat", "local n = 0 repeat n = (n * 7 + 1) % 1000003 until n < 0", line = true },
  { "for without end", "for i = 1, math.huge do end", line = true },
  { "goto", "::again:: goto again", line = true },
  { "pcall loop", "while true do pcall(error, 'again') end" },
  { "pcall around a loop", "while true do pcall(function() while true do end end) end", line = true },
  { "xpcall with a loop in its handler", "xpcall(function() while true do end end, function() while true do end end)",
    line = true },
  { "coroutine", "coroutine.wrap(function() while true do end end)()", line = true },
  { "two coroutines",
    "local c = coroutine.create(function() while true do coroutine.yield() end end)"
      .. " while true do coroutine.resume(c) end" },
  { "coroutines without end", "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end" },
  { "coroutines inside each other", "local function f() coroutine.wrap(f)() end f()" },
  { "tail calls", "local function f(n) return f(n + 1) end f(1)", line = true },
  { "tail calls by turns", "local f, g function f(n) return g(n) end function g(n) return f(n) end f(1)", line = true },
  { "recursion", "local function f(n) return 1 + f(n + 1) end f(1)" },
  { "recursion in pcall", "local function f() pcall(f) return pcall(f) end f()" },
  { "recursion in gsub", "local function f() return (('x'):gsub('x', f)) end f()" },
  { "recursion in __index",
    "local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end }) local _ = t[1]" },
  { "__tostring of itself",
    "local t = setmetatable({}, { __tostring = function(t) return tostring(t) end }) local _ = tostring(t)" },
  { "column loop", "local x = q.p.x while true do for i = 1, q.count do x[i] = x[i] + 1 end end", line = true },
  { "lookup loop", "local l = world.lookup('p') while true do for i = 1, q.count do l.y[q.entity:raw(i)] = i end end",
    line = true },
  { "handle loop", "while true do for i = 1, q.count do q.entity[i].p.y = i end end", line = true },
  { "pairs loop",
    "local t = {} for i = 1, 500 do t['k' .. i] = i end while true do for k, v in pairs(t) do t[k] = v + 1 end end" },
  { "ipairs that grows", "local t = { 1 } for i in ipairs(t) do t[i + 1] = i end" },
  { "table churn", "while true do local t = {} for i = 1, 100 do t[i] = { i } end end" },
  { "table that grows", "local t = {} while true do t[#t + 1] = { 1, 2, 3 } end" },
  { "string churn", "local s = '' while true do s = s:sub(-1000) .. 'x' .. #s end" },
  { "string that grows", "local s = 'x' while true do s = s .. s:sub(1, 1000) end" },
  { "doubling string", "local s = 'x' while true do s = s .. s end" },
  { "string.rep", "local s = ('x'):rep(1e9) return #s" },
  { "string.rep in a loop", "while true do local _ = ('x'):rep(1e6) end" },
  { "string.format", "while true do local _ = string.format('%99.9f %s', 1 / 3, 'x') end" },
  { "long format", "while true do local _ = ('%s'):rep(100):format(unpack({}, 1, 100)) end" },
  { "table.concat", "local t = {} for i = 1, 1e5 do t[i] = 'word' end while true do local _ = table.concat(t) end" },
  { "loop in a helper", "local function f(n) while n > 0 do n = n + 1 end end f(1)", line = true },
  { "loop on a full stack", "local function f(n) if n > 0 then return 1 + f(n - 1) end while true do end end f(21000)",
    line = true },
  { "branches",
    "local a, b = 1, 0 while true do if a % 3 == 0 then b = b + 1 else a = a + 7 end a = (a * 31 + b) % 10007 end",
    line = true },
  { "pattern bomb", "string.find(('a'):rep(5000), '.-.-.-.-b')" },
  { "pattern bomb in match", "string.match(('a'):rep(20000), '(.-)(.-)(.-)c')" },
  { "gsub bomb", "string.gsub(('a'):rep(30000), '.-.-b', '')" },
  { "gmatch bomb", "for _ in string.gmatch(('a'):rep(30000), '.-.-.-b') do end" },
  { "sort with a bad comparator",
    "local t = {} for i = 1, 2e5 do t[i] = i % 7 end"
      .. " while true do pcall(table.sort, t, function() return true end) end" },
  { "sort with a slow comparator",
    "local t = {} for i = 1, 1e5 do t[i] = -i end"
      .. " table.sort(t, function(a, b) for _ = 1, 1e4 do end return a < b end)" },
  { "large sort", "while true do local t = {} for i = 1, 3e5 do t[i] = (i * 7919) % 300007 end table.sort(t) end" },
  { "table.insert at the front", "local t = {} while true do table.insert(t, 1, 1) end" },
  { "load", "while true do load('return ' .. ('1 + '):rep(500) .. '1')() end" },
  { "garbage", "local t = {} while true do t[#t + 1] = {} collectgarbage() end" },
  { "random numbers", "while true do world.random(100) end", line = true },
  { "events", "while true do world.emit('bang', { power = 1 }) end" },
  { "spawning", "while true do world.spawn('thing', { p = { x = 1 } }) end" },
  { "adding and removing", "local e = q.entity[1] while true do e:add('mark') e:remove('mark') end" },
  { "queries", "while true do world.query { 'p' } end" },
  { "SQL", "while true do world.sql('SELECT count(*) FROM p a, p b, p c') end" },
  { "snapshots", "while true do world.snapshot() end" },
  { "drawing sizes and assets", "while true do assets.exists('nothing.png') end" },
}

local WRITES = [[
for i = 1, q.count do q.p.x[i] = q.p.x[i] + world.random() end
world.spawn("thing", { p = { y = world.tick }, label = { text = "text " .. world.random(1000000) } })
world.emit("bang", { power = world.random() })
world.single.total.n = world.single.total.n + 1
if q.count > 3 then q.entity[2]:destroy() q.entity[3]:add("mark") end
]]

-- Sources of systems that run the code: format strings for the tick and the code. Each has a local `q`.
local PLACES = {
  update = [[return { query = { "p" }, update = function(q) if world.tick == %d then %s end end }]],
  each = [[return { query = { "p" }, each = function(e) if world.tick == %d and e:children() then
    local q = world.query { "p" } %s end end }]],
  on = [[return { on = { beat = function() local q = world.query { "p" } if world.tick == %d then %s end end } }]],
  enter = [[return { query = { "p" },
    enter = function() local q = world.query { "p" } if world.tick == %d then %s end end }]],
  no_query = [[return { update = function() if world.tick == %d then local q = world.query { "p" } %s end end }]],
  many = [[return { queries = { q = { "p" } }, phase = "post_update", update = function(all) local q = all.q
    if world.tick == %d then %s end end }]],
}
local NAMES = told and { "on", "enter" } or { "update", "no_query", "many", "each" }

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
  file:close()
end

-- A random generator that gives the same game for the same seed on every machine.
local state = seed * 7919 + 17
local function below(n)
  state = (state * 16807) % 2147483647
  return state % n
end

os.execute(("mkdir -p '%s/systems'"):format(folder))
write("game.lua", [[return { title = "Runaways", start = function()
  for i = 1, 40 do world.spawn("thing", { p = { x = i } }) end end }]])
write("components.lua", [[return { p = { x = 0, y = 0 }, label = { text = shoal.types.string "" }, mark = {},
  total = shoal.types.single { n = 0, beats = 0 } }]])
write("events.lua", [[return { bang = { power = 0 }, beat = {} }]])
write("assemblages.lua", [[return { thing = { components = { p = {}, label = {} } } }]])
write("systems/aa_beat.lua", [[return { phase = "input", update = function() world.emit("beat") world.spawn("thing")
  for e in world.each("mark") do e:destroy() end end }]])
write("systems/zz_hears.lua", [[return { after = "aa_beat", phase = "post_update",
  on = { bang = function(ev) for i = 1, ev.count do
  world.single.total.beats = world.single.total.beats + ev.power[i] end end } }]])

local tick, lines = 3, {}
for i = 1, count do
  local kind = KINDS[(i - 1 + seed) % #KINDS + 1]
  local place = PLACES[NAMES[below(#NAMES) + 1]]
  local body = tame and "return" or WRITES .. "\n" .. kind[2]
  local text = "-- " .. kind[1] .. "\n" .. place:format(tick, body)
  write(("systems/r%04d.lua"):format(i), text)
  if kind.line and not tame then
    local _, before = text:sub(1, text:find(kind[2], 1, true)):gsub("\n", "")
    lines[#lines + 1] = ("systems/r%04d.lua:%d: "):format(i, before + 1)
  end
  tick = tick + 1 + below(2)
end
-- Prints a checksum of the world except its list of parked pieces, in the last tick.
write("systems/zzz_sum.lua", ([[return { phase = "post_update", after = "zz_hears", update = function()
  if world.tick ~= %d then return end
  local sum = 0
  for _, rows in ipairs { "p", "label", "mark", "total", "entities" } do
    for _, row in ipairs(world.sql("SELECT * FROM " .. rows)) do
      for key, v in pairs(row) do
        local text = key .. tostring(v)
        for i = 1, #text do sum = (sum * 31 + text:byte(i)) %% 2147483647 end
      end
    end
  end
  print("world", sum, world.random())
end }]]):format(tick + 4))
write("lines", table.concat(lines, "\n") .. "\n")
print(tick + 5, #KINDS)

-- Writes a game of random systems (program.lua):
-- luajit tests/single_choices/generate.lua FOLDER COUNT SEED single|double|both
--
-- The games of both precisions must have the same hashes. The game `both` contains each system in single and in double
-- precision. After each tick, it compares their components with each other, and with the values that a plain Lua
-- function has calculated from the values before the tick, and reports the first difference; it is ten times slower.
local folder, count, seed, form = arg[1], tonumber(arg[2]), tonumber(arg[3]), arg[4]
local program = dofile((arg[0]:gsub("generate%.lua$", "program.lua")))

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
  file:close()
end

os.execute(("mkdir -p '%s/systems'"):format(folder))

-- Field declarations of components, and initial values of rows, in this order.
local FIELDS = {
  { "tiny", "t.i8(0)", "pick(256) - 129" }, { "short", "t.i16(0)", "pick(9) - 5" },
  { "small", "t.u8(0)", "pick(9) - 1" },
  { "count", "t.i32(0)", "pick(3) == 1 and edges[pick(6)] or pick(9) - 5" },
  { "wide", "t.u16(0)", "pick(2) == 1 and pick(65536) - 1 or pick(5)" },
  { "id", "t.u32(0)", "pick(3) == 1 and 4294967295 or pick(9)" }, { "x", "0", "(pick(513) - 257) / 4" },
  { "y", "0", "pick(5) - 3" }, { "far", "t.f64(0)", "pick(1048576) / 16" }, { "deep", "t.f64(0)", "pick(9) - 5" },
  { "on", "false", "pick(2) == 1" }, { "off", "true", "pick(2) == 1" }, { "mode", "CHOICES", "choices[pick(4)]" },
  { "last", "CHOICES", "choices[pick(4)]" }, { "alarm", "ALARMS", "alarms[pick(3)]" },
  { "word", 't.string ""', "words[pick(4)]" }, { "goal", "t.entity" }, { "at", "t.vec2", "{ pick(9) / 4, pick(5) }" },
  { "part", "{ n = t.i16(0), x = 0, mode = CHOICES, on = false }",
    "{ n = pick(9) - 5, x = pick(9) / 4, mode = choices[pick(4)], on = pick(2) == 1 }" },
  { "bits", "t.list(t.u8, 3, { 1, 0, 7 })" }, { "sizes", "t.list(t.f32, 2, { 2.5, -1 })" },
  { "modes", 't.list(CHOICES, 2, { "idle", "rest" })' }, { "flags", "t.list(t.bool, 2, { true, false })" },
}

-- Returns the fields of program i's component: the fields that its own body or the next program's body uses. With all
-- fields, a game would take a quarter more time. The form `both` needs all fields, because the comparison reads them.
local function list_used_fields(programs, i)
  local uses = {}
  for sign, name in programs[i].body:gmatch("{#?([%^>=~!]?)(%w+)") do
    uses[name] = uses[name] or sign == "" or sign == ">" or sign == "="
  end
  for name in (programs[i + 1] and programs[i + 1].body or ""):gmatch("{#?%^(%w+)") do uses[name] = true end
  for name in programs[i].before:gmatch("{#?(%w+)") do uses[name] = true end
  local out = {}
  for _, field in ipairs(FIELDS) do
    if form == "both" or uses[field[1]] or field[1] == "goal" then out[#out + 1] = field end
  end
  return out
end

local components, oracles, programs, values = {}, {}, {}, {}
for i = 1, count do programs[i] = program.make(seed * 1000 + i, i) end
for i = 1, count do
  local made, declared, initial = programs[i], {}, {}
  for k, field in ipairs(list_used_fields(programs, i)) do
    declared[k] = ("%s = %s"):format(field[1], field[2])
    if field[3] then initial[#initial + 1] = ("%s = %s"):format(field[1], field[3]) end
  end
  values[i] = ("function() return { %s } end,\n"):format(table.concat(initial, ", "))
  for _, precision in ipairs(form == "both" and { "single", "double" } or { form }) do
    local prefix = form == "both" and precision or "part"
    local name = prefix .. i
    components[#components + 1] = ("  %s = { %s },"):format(name, table.concat(declared, ", "))
    components[#components + 1] = i == 1 and ("  %srare = rare(), %ssum = sum(),"):format(prefix, prefix) or nil
    write(("systems/%s.lua"):format(name), program.system(made, prefix, i,
      ("  priority = %d,\n"):format(i) .. (precision == "single" and '  precision = "single",\n' or "")))
  end
  oracles[i] = ("M[%d] = { reads = %s, run = (function()\n%s%send)() }\n"):format(i, tostring(made.has_previous),
    program.HEAD, program.oracle(made))
end

write("components.lua", ([[
local t = shoal.types
local CHOICES, ALARMS = t.enum %s, t.enum %s
local function rare() return { v = 0.5, n = t.i16(0), mode = CHOICES, on = false } end
local function sum() return t.single { total = t.i32(0), flag = false, level = 0.25 } end
return {
  g = t.single { count = t.i32(3), big = t.i32(0), level = 0.25, open = false, mode = CHOICES },
%s
}
]]):format('{ "idle", "flee", "hunt", "rest" }', '{ "rest", "red", "idle" }', table.concat(components, "\n")))

write("game.lua", ([[
return { title = "Choices", start = function()
  local choices, alarms = { "idle", "flee", "hunt", "rest" }, { "rest", "red", "idle" }
  local words, prefixes, state, all = { "", "idle", "x", "rest" }, %s, %d, {}
  local function pick(n)
    state = (state * 16807) %% 2147483647
    return state %% n + 1
  end
  local edges = { -2147483648, 2147483647, 16777217, -16777219, 0, 1 }
  local create = {
%s}
  for row = 1, %d do
    local parts = {}
    for i = 1, %d do
      local values = create[i]()
      for _, prefix in ipairs(prefixes) do parts[prefix .. i] = values end
    end
    all[row] = world.spawn(nil, parts)
  end
  for row = 1, #all do
    for i = 1, %d do
      local goal = pick(3) == 1 and shoal.none or all[pick(2) == 1 and row or pick(#all)]
      for _, prefix in ipairs(prefixes) do all[row][prefix .. i].goal = goal end
    end
    local values = { v = pick(9) / 4, n = pick(9) - 5, mode = choices[pick(4)], on = pick(2) == 1 }
    for _, prefix in ipairs(pick(2) == 1 and prefixes or {}) do all[row]:add(prefix .. "rare", values) end
  end
end }
]]):format(form == "both" and '{ "single", "double" }' or '{ "part" }', seed % 2147483646 + 1, table.concat(values),
  program.ROWS, count, count))

-- Returns Lua text with a line for each field: { path, expression that reads it from the accessor `c` }.
local function list_fields(pattern)
  local out = {}
  for _, field in ipairs(program.FIELDS) do
    for k = 1, field[3] or 1 do
      local path = field[3] and ("%s:%d"):format(field[1], k) or field[1]
      out[#out + 1] = pattern:format(path, "c." .. path:gsub(":(%d)", "[%1]"))
    end
    out[#out + 1] = field[3] and pattern:format("#" .. field[1], "#c." .. field[1]) or nil
  end
  return table.concat(out, "\n")
end

write("systems/aa_singleton.lua", [[
return { phase = "pre_update", update = function()
  local g = world.single.g
  g.count, g.big, g.level = world.tick * 3 % 11, 16777216 + world.tick, world.tick % 60 / 4
  g.open = world.tick % 2 == 0
  g.mode = ({ "flee", "idle", "rest" })[world.tick % 3 + 1]
end }
]])
if form ~= "both" then
  return
end

write("oracle.lua", ([[
local M = { before = shoal.cache(function() return {} end) }
function M.copy_rare(c) return { v = c.v, n = c.n, mode = c.mode, on = c.on } end
function M.copy_sum(c) return { total = c.total, flag = c.flag, level = c.level } end
function M.copy(c)
  local out = {}
%s
  return out
end
local function whole(low, high)
  return function(v)
    v = v ~= v and 0 or math.max(math.min(v, high), low)
    return v < 0 and math.ceil(v) or math.floor(v)
  end
end
local function same(v) return v end
M.STORE = { i8 = whole(-128, 127), i16 = whole(-32768, 32767), i32 = whole(-2147483648, 2147483647), u8 = whole(0, 255),
  u16 = whole(0, 65535), f32 = same, f64 = same, bool = same, enum = same, alarm = same, entity = same }
%sreturn M
]]):format(list_fields('  out["%s"] = %s'), table.concat(oracles)))

write("systems/ab_before.lua", ([[
local oracle = require("oracle")
return { phase = "pre_update", update = function()
  for i = 1, %d do
    local rows = {}
    for e in world.each("single" .. i) do rows[#rows + 1] = { n = oracle.copy(e["single" .. i]), e = e } end
    oracle.before[i] = rows
  end
  for _, e in ipairs(oracle.before[1]) do
    e.r = e.e:has("doublerare") and oracle.copy_rare(e.e.doublerare)
  end
  oracle.before.sum = oracle.copy_sum(world.single.doublesum)
end }
]]):format(count))

write("systems/zz_compare.lua", ([[
local oracle = require("oracle")
local function compare(i, row, single, double, plain)
  for path, v in pairs(double) do
    if single[path] ~= v or plain[path] ~= v then
      error(("program %%d: row %%d: %%s is %%s in single precision, %%s in double precision, %%s in Lua"):format(i, row,
        path, tostring(single[path]), tostring(v), tostring(plain[path])))
    end
  end
end
return { phase = "post_update", update = function(dt)
  for i = 1, %d do
    local rows, row = oracle.before[i], 0
    for k = 1, #rows do
      rows[k].m, rows[k].r = oracle[i].reads and oracle.before[i - 1][k].n, oracle.before[1][k].r
    end
    local function find(e)
      for k = 1, #rows do
        if rows[k].e == e then return rows[k] end
      end
    end
    oracle[i].run(rows, dt, oracle.STORE, find, oracle.before.sum)
    for e in world.each("single" .. i) do
      row = row + 1
      compare(i, row, oracle.copy(e["single" .. i]), oracle.copy(e["double" .. i]), rows[row].n)
      if i == %d and rows[row].r then
        compare(i, row, oracle.copy_rare(e.singlerare), oracle.copy_rare(e.doublerare), rows[row].r)
      end
    end
  end
  compare(%d, 0, oracle.copy_sum(world.single.singlesum), oracle.copy_sum(world.single.doublesum), oracle.before.sum)
end }
]]):format(count, count, count))

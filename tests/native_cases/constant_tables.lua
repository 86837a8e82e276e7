-- Loops over tables of constants, and over one of several tables that the row selects, run natively: the body is copied
-- for each value. Loops over other tables run in Lua, and --explain names the reason.
return {
  title = "loops over tables of constants run natively",
  ticks = 4,
  modes = { "interpreted", "LuaJIT", "sse2,now", "on", "now", "swap3" },
  systems = {
    a_kinds = [[
local KINDS = { "x", "y", "z" }
return { query = { "mote" }, each = function(e)
  e.mote.kind = KINDS[(e.mote.n + world.tick) % 3 + 1]
end }]],
    b_single_table = [[
local STEPS, EMPTY, HOLES = { 0.5, -2, 3, 1e300, 0, -0, 7, 8, 9, 10 }, {}, { 1, 2, nil, 4 }
return { after = "a_kinds", query = { "mote" }, each = function(e)
  local m = e.mote
  for k, v in ipairs(STEPS) do
    if v == 9 then break end
    if v ~= 3 then m.c = (m.c + v * k) % 1000 end
  end
  for _ in ipairs(EMPTY) do m.d = 1 end
  for _, v in ipairs(HOLES) do m.d = m.d + v end
  for i, v, other in ipairs(STEPS) do if other == nil and m.a > v then m.y = m.y + i * 0.25 end end
end }]],
    c_selected_table = [[
local PLANS = {
  x = { { 0, "y" }, { 5, "z" }, { 100, "x" } },
  y = { { 50, "x" } },
  z = {},
}
return { after = "b_single_table", query = { "mote" }, each = function(e)
  local m, found = e.mote, nil
  for _, entry in ipairs(PLANS[m.kind]) do
    if m.n >= entry[1] then found = entry[2] end
  end
  if found and m.kind ~= found then m.label = found end
  if not found then m.label = "none" end
end }]],
    d_lengths = [[
local WEIGHTS = { x = { 1, 2, 3 }, y = { 0.25 }, z = {} }
local NAMES = { x = { "one", "two", "three" }, y = { "four" }, z = {} }
return { after = "c_selected_table", query = { "mote" }, update = function(q)
  local c, kind, note = q.mote.c, q.mote.kind, q.mote.note
  for i = 1, q.count do
    local weights = WEIGHTS[kind[i] ]
    local names = NAMES[kind[i] ]
    c[i] = c[i] + #weights * 0.125
    for k = 1, #weights do
      c[i] = (c[i] * 0.5 + weights[k] * k) % 100
      note[i] = names[k]
    end
  end
end }]],
    e_returns = [[
local LEVELS = { { at = 100, gain = 0.5 }, { at = 150, gain = 2, bonus = true }, { at = 1e9, gain = 1 } }
local OTHERS = { { at = 7, gain = 1 } }
local function find(n, levels)
  for i, level in ipairs(levels) do
    for k = 1, 2 do
      if n * k < level.at then return level, i * k end
    end
  end
end
return { after = "d_lengths", query = { "mote" }, start = function()
  for i = 1, 500 do find(i, LEVELS) end -- LuaJIT compiles the loops of `find` before the system is compiled
end, each = function(e)
  local m = e.mote
  if m.flag then
    for _, level in ipairs(LEVELS) do if m.n > level.at then return end end
  end
  local level, i = find(m.n, LEVELS)
  m.d = m.d + level.gain * i
  local other = find(m.n, OTHERS)
  if other then m.x = m.x + other.gain + other.at end
  if level.bonus then m.y = 0.5 end
end }]],
    f_mixed = [[
local MIXED = { x = { 1, 2 }, y = { "three", 4 }, z = { true } }
return { after = "e_returns", query = { "mote" }, each = function(e)
  for _, v in ipairs(MIXED[e.mote.kind]) do
    if v == 2 then e.mote.c = e.mote.c + 1 end
  end
end }]],
    g_mixed_values = [[
local MIXED = { 1, "two", true, { 5 } }
return { after = "f_mixed", query = { "mote" }, each = function(e)
  for _, v in ipairs(MIXED) do
    if v == 1 then e.mote.c = e.mote.c + v end
    if v == "two" then e.mote.word = v end
    if v == true then e.mote.flag = not e.mote.flag end
  end
end }]],
    h_long = [[
local LONG = {}
for i = 1, 33 do LONG[i] = i end
return { after = "g_mixed_values", query = { "mote" }, each = function(e)
  e.mote.d = e.mote.d + 1
  if e.mote.n % 50 == 1 then
    for _, v in ipairs(LONG) do e.mote.d = e.mote.d + v end
  end
end }]],
    i_pairs = [[
local NAMES = { one = 1 }
return { after = "h_long", query = { "mote" }, each = function(e)
  e.mote.d = e.mote.d + 1
  if e.mote.n % 50 == 1 then
    for _, v in pairs(NAMES) do e.mote.d = e.mote.d + v end
  end
end }]],
    j_middle = [[
local ODDS, ONES = {}, { x = {}, y = {}, z = { 5 } }
for i = 1, 20 do ODDS[i] = 2 * i - 1 end
for i = 1, 20 do ONES.x[i], ONES.y[i] = i, 21 - i end
return { after = "i_pairs", query = { "mote" }, each = function(e)
  local m = e.mote
  for i = 1, #ODDS do if ODDS[i] < m.n then m.a = (m.a + i) % 11 end end
  local ones = ONES[m.kind]
  for i = 1, #ones do m.b = (m.b + ones[i] * i) % 17 end
end }]],
    k_own_table = [[
return { after = "j_middle", query = { "mote" }, each = function(e)
  e.mote.d = e.mote.d + 1
  if e.mote.n % 50 == 1 then
    local list = { e.mote.a, 2 }
    for _, v in ipairs(list) do e.mote.d = e.mote.d + v end
  end
end }]],
  },
  explain = {
    a_kinds = "native, no rows in Lua", b_single_table = "native, no rows in Lua",
    c_selected_table = "native, some rows in Lua", d_lengths = "native, some rows in Lua",
    e_returns = "native, no rows in Lua", f_mixed = "in LuaJIT", g_mixed_values = "native, no rows in Lua",
    h_long = "native, some rows in Lua", i_pairs = "native, some rows in Lua", j_middle = "native, no rows in Lua",
    k_own_table = "native, some rows in Lua",
  },
}

-- Rows add values to lists and remove them: at constant and at calculated indices, in loops over the values in both
-- directions, in called functions, and after a write of the same row. Each list type, and lists whose loops are and are
-- not unrolled.
return {
  title = "native systems add values to lists and remove values from lists with the same results as Lua",
  ticks = 12,
  modes = { "interpreted", "LuaJIT", "sse2,now", "on", "now" },
  components = [[
local t = shoal.types
return {
  mote = {
    a = t.f64(0), b = t.f64(0), c = t.f64(0), n = t.i32(0), x = 0, y = 0, flag = false,
    kind = t.enum { "x", "y", "z" }, to = t.entity, from = t.entity,
  },
  bag = {
    items = t.list(t.u16, 12), few = t.list(t.i32, 4), many = t.list(t.u8, 20),
  },
  sack = {
    speeds = t.list(t.f32, 5), weights = t.list(t.f64, 5), flags = t.list(t.bool, 5),
    kinds = t.list(t.enum { "x", "y", "z" }, 5), goals = t.list(t.entity, 5),
  },
  extra = { v = 0 },
}]],
  assemblages = 'return { mote = { components = { mote = {}, bag = {}, sack = {} } } }',
  systems = {
    a_gather = [[
return { query = { "mote", "bag" }, each = function(e)
  local m, items = e.mote, e.bag.items
  if (m.n + world.tick) % 3 == 0 and #items < 10 then items:add((m.n * 7 + world.tick) % 3 + 1) end
  if m.a > 2 and #e.bag.few < 4 then e.bag.few:add(m.n) end
  if #e.bag.many < 20 then
    e.bag.many:add((m.n + world.tick) % 7)
    e.bag.many[#e.bag.many] = e.bag.many[#e.bag.many] + 1
  end
end }]],
    b_make = [[
local RECIPES = { { gives = 11, needs = { { 1, 2 } } }, { gives = 12, needs = { { 2, 1 }, { 3, 1 } } },
  { gives = 13, needs = { { 1, 1 }, { 2, 1 }, { 3, 1 } } } }
local function count(items, kind)
  local n = 0
  for i = 1, #items do if items[i] == kind then n = n + 1 end end
  return n
end
local function take(items, kind, n)
  for i = #items, 1, -1 do
    if n > 0 and items[i] == kind then
      items:remove(i)
      n = n - 1
    end
  end
end
return { after = "a_gather", query = { "mote", "bag" }, each = function(e)
  local items, recipe = e.bag.items, RECIPES[e.mote.n % 3 + 1]
  for _, need in ipairs(recipe.needs) do
    if count(items, need[1]) < need[2] then e.mote.b = e.mote.b + 1 return end
  end
  for _, need in ipairs(recipe.needs) do take(items, need[1], need[2]) end
  items:add(recipe.gives)
  for kind = 11, 13 do
    if count(items, kind) >= 2 then take(items, kind, 2) end
  end
end }]],
    c_indices = [[
return { after = "b_make", query = { "mote", "bag" }, each = function(e)
  local m, few, many = e.mote, e.bag.few, e.bag.many
  if #few > 0 then m.c = m.c + few:remove(m.n % #few + 1) end
  if #few > 1 then m.c = m.c * 0.5 + few:remove(1) - few[1] end
  if m.b % 2 == 0 and #many > 2 then
    many[2] = 200
    m.c = m.c + many:remove(#many)
    many:remove(2)
    if m.flag then many:add(m.n % 200) end
  end
  for k = #many, 1, -1 do
    if many[k] == 5 then
      many:remove(k)
      break
    end
  end
end }]],
    d_types = [[
return { after = "c_indices", query = { "mote", "sack" }, update = function(q)
  local m, sack = q.mote, q.sack
  for i = 1, q.count do
    local speeds, weights, flags = sack.speeds[i], sack.weights[i], sack.flags[i]
    local kinds, goals = sack.kinds[i], sack.goals[i]
    if #speeds < 5 then
      speeds:add(m.a[i] / 3)
      weights:add(m.a[i] / 3)
      flags:add(m.flag[i])
      kinds:add(m.n[i] % 2 == 0 and "y" or "z")
      goals:add(m.to[i])
    elseif m.n[i] % 4 > 0 then
      local k = m.n[i] % 5 + 1
      m.a[i] = m.a[i] % 100 + speeds:remove(k) + weights:remove(k)
      m.flag[i] = flags:remove(k)
      m.kind[i] = kinds:remove(k)
      m.from[i] = goals:remove(k)
    end
  end
end }]],
    e_ascending = [[
return { after = "d_types", query = { "mote", "bag" }, each = function(e)
  local items, sum = e.bag.items, 0
  for k = 1, #items do
    sum = sum + (items[k] or 0)
    if k == 1 and sum > 2 and #items > 3 then items:remove(2) end
  end
  for k = 1, 3 do
    if #items < 12 and (e.mote.n + k) % 5 == 0 then items:add(k) end
  end
  for k = 1, 2 do
    if #items > 9 then items:remove(k) end
  end
  e.mote.x = sum
end }]],
    f_single = [[
return { after = "e_ascending", query = { "bag", "sack" }, precision = "single", each = function(e)
  local few, speeds = e.bag.few, e.sack.speeds
  if #few > 2 then few:remove(2) end
  if #few < 3 then few:add(7) end
  if #speeds > 3 then
    speeds:remove(1)
    speeds:add(2.5)
  end
end }]],
  },
  explain = { a_gather = "native, no rows in Lua", b_make = "native, no rows in Lua",
    c_indices = "native, no rows in Lua", d_types = "native, no rows in Lua", e_ascending = "native, no rows in Lua",
    f_single = "native, no rows in Lua" },
}

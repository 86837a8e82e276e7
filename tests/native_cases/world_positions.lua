-- Columns of derived numbers, transform.world_x and world_y, are read natively with the values they had when the system
-- got them.
local components = [[
local t = shoal.types
return {
  mote = { a = 0, b = 0, n = t.i32(0), to = t.entity },
  spin = { rate = 1 },
  hits = t.single { sum = 0 },
}]]
local assemblages = [[
return {
  mote = { components = { transform = {}, mote = {} } },
  ship = { components = { transform = {}, spin = {}, mote = {} }, children = {
    left = { components = { transform = { x = 10, angle = 0.5 }, mote = {} },
      children = { tip = { components = { transform = { x = 4, scale_x = 2 }, mote = {} } } } },
    right = { components = { transform = { x = -10, scale_y = -1 }, mote = {} } },
  } },
}]]
local game = [[
return { start = function()
  local ships = world.spawn_many("ship", 90, function(q)
    for i = 1, q.count do
      q.transform.x[i], q.transform.y[i], q.transform.angle[i] = i * 3, i % 7, i / 9
      q.transform.scale_x[i] = 1 + i % 3
    end
  end)
  for i = 1, 90, 4 do ships[i].transform.parent = ships[i % 7 + 20] end
  ships[5]:destroy()
  ships[21].transform.parent = ships[21]
  for i = 30, 40 do ships[i]:remove("mote") end
end }]]
local turn = [[
return { query = { "transform", "spin" }, update = function(q, dt)
  local angle, x, rate = q.transform.angle, q.transform.x, q.spin.rate
  for i = 1, q.count do
    angle[i] = angle[i] + rate[i] * dt
    x[i] = x[i] + dt * 60
  end
end }]]
local modes = { "interpreted", "LuaJIT", "sse2,now", "now,guard", "now,split", "on", "now,swap1", "now,swap3", "now" }

return {
  title = "world positions are read natively",
  ticks = 5,
  modes = modes,
  components = components,
  assemblages = assemblages,
  game = game,
  variants = {
    {
      systems = {
        turn = turn,
        locate = [[
return { after = "turn", query = { "transform", "mote" }, update = function(q)
  local wx, wy, a, b = q.transform.world_x, q.transform.world_y, q.mote.a, q.mote.b
  for i = 1, q.count do a[i], b[i] = wx[i], wy[i] * 2 end
end }]],
        -- The loop changes what the column is computed from.
        shift = [[
return { after = "locate", query = { "transform", "mote" }, update = function(q)
  local x, wx, t = q.transform.x, q.transform.world_x, q.transform
  for i = 1, q.count do
    x[i] = x[i] + wx[i] * 0.001
    q.mote.b[i] = q.mote.b[i] + wx[i]
  end
end }]],
        -- The rows get the column, and change nothing that it depends on.
        late = [[
return { after = "shift", query = { "transform", "mote" }, update = function(q)
  for i = 1, q.count do
    if q.mote.a[i] > 20 then q.mote.a[i] = q.mote.a[i] + (q.transform.world_x[i] > 50 and 2 or 1) end
    if q.transform.world_y[i] > 9 then world.emit("hit", { n = i }) end
  end
end }]],
        lines = [[
return { after = "late", query = { "transform", "mote" }, update = function(q)
  local x, sum = q.transform.x, 0
  for i = 1, q.count do x[i] = x[i] + 1 end
  local wy = q.transform.world_y
  for i = 1, q.count do x[i], sum = x[i] - wy[i] * 0.01, sum + wy[i] end
  world.single.hits.sum = world.single.hits.sum + sum
end }]],
      },
      explain = {
        turn = "native, no rows in Lua",
        locate = "native, no rows in Lua", shift = "native, no rows in Lua", late = "native, no rows in Lua",
        ["lines"] = "native, no rows in Lua", ["lines, loop 2"] = "native, no rows in Lua",
      },
    },
    {
      systems = {
        turn = turn,
        late = [[
return { after = "turn", query = { "transform", "mote" }, update = function(q)
  for i = 1, q.count do
    if i > 1 then q.mote.a[i] = q.transform.world_x[i] end
    q.transform.x[i] = q.transform.x[i] + 1
  end
end }]],
        exits = [[
return { after = "late", query = { "transform", "mote" }, update = function(q)
  local wx = q.transform.world_x
  for i = 1, q.count do
    q.mote.b[i] = wx[i]
    if i % 50 == 0 then
      world.emit("hit", { n = i })
      q.entity[i].transform.x = q.entity[i].transform.world_x + 2
    end
  end
end }]],
        single = [[
return { after = "exits", query = { "transform", "mote" }, precision = "single", update = function(q)
  local wx, wy = q.transform.world_x, q.transform.world_y
  for i = 1, q.count do q.mote.b[i] = q.mote.b[i] + (wx[i] + wy[i]) * 0.5 end
end }]],
        accessor = [[
return { after = "single", query = { "transform", "mote" }, each = function(e)
  e.mote.a = e.mote.a + e.transform.world_x + e.transform.world_y
  e.transform.y = e.transform.y + 0.5
end }]],
      },
      explain = {
        turn = "native, no rows in Lua", single = "native, no rows in Lua", exits = "native, some rows in Lua",
        late = "in LuaJIT", accessor = "in LuaJIT",
      },
    },
  },
}

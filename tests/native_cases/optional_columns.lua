-- Columns of optional components are read and written through the query's row map.
local components = [[
local t = shoal.types
return {
  mote = { a = t.f64(0), b = 0, n = t.i32(0), to = t.entity },
  burning = { rate = t.f32(2, { nan = true }), left = t.f64(9, { nan = true }), level = t.u8(3),
    on = true, kind = t.enum { "low", "high" }, word = "",
    by = t.entity, push = t.vec2(), heat = { min = 0, max = 5 } },
  shield = { left = t.f32(5, { nan = true }) },
  part = t.many { y = 0 },
  hits = t.single { sum = 0 },
}]]
local game = [[
return { start = function()
  local motes = world.spawn_many("mote", 400, function(q)
    for i = 1, q.count do q.mote.a[i], q.mote.b[i] = i % 7, i / 3 end
  end)
  for i = 400, 1, -1 do
    motes[i].mote.to = motes[i * 7 % 400 + 1]
    if i % 3 == 0 then motes[i]:add("burning", { rate = i % 5, by = motes[i % 9 + 1] }) end
    if i % 40 == 0 then motes[i]:add("shield") end
    if i % 30 == 0 then motes[i]:disable("burning") end
  end
  motes[5]:destroy()
end }]]
return {
  title = "columns of optional components are read and written natively",
  ticks = 4,
  modes = { "interpreted", "LuaJIT", "sse2,now", "now,guard", "now,split", "on", "now,swap1", "now" },
  components = components,
  game = game,
  variants = {
    {
      systems = {
        burn = [[
return { query = { "mote", optional = { "burning", "shield" } }, update = function(q, dt)
  local a, b, rate, left = q.mote.a, q.mote.b, q.burning.rate, q.shield.left
  local hot, shielded = q.has.burning, q.has.shield
  for i = 1, q.count do
    b[i] = b[i] + a[i] * dt
    if hot[i] then
      if shielded[i] and left[i] > 0 then left[i] = left[i] - rate[i] else a[i] = a[i] - rate[i] * dt end
    end
  end
end }]],
        fields = [[
return { after = "burn", query = { "mote", any = { "burning", "shield" } }, update = function(q)
  for i = 1, q.count do
    if q.has.burning[i] then
      local burning = q.burning
      burning.left[i] = burning.left[i] * 0.5 + q.mote.a[i]
      burning.push.x[i], burning.push.y[i] = burning.push.y[i] + 1, burning.heat.max[i]
      burning.heat.min[i] = burning.heat.min[i] + burning.level[i]
      burning.level[i] = (burning.level[i] * 3 + 1) % 200
      burning.on[i] = not burning.on[i] or burning.kind[i] == "high"
      burning.kind[i] = burning.left[i] > 4 and "high" or "low"
      if burning.kind[i] == "high" then burning.word[i] = "high" else burning.by[i] = q.mote.to[i] end
    elseif q.shield.left[i] > 1 then
      q.shield.left[i] = 1
    end
    q.mote.n[i] = q.mote.n[i] + (q.has.burning[i] and q.burning.level[i] or 100)
  end
end }]],
        others = [[
return { after = "fields", query = { "mote", optional = { "burning" } }, update = function(q)
  local rate = world.lookup("burning").rate
  for i = 1, q.count do
    local to = q.mote.to[i]
    if q.has.burning[i] then q.burning.rate[i] = q.burning.rate[i] * 0.75 + 1 end
    if rate[to] then rate[to] = rate[to] + q.mote.a[i] end
  end
end }]],
        exits = [[
return { after = "others", query = { "mote", optional = { "burning" } }, update = function(q)
  for i = 1, q.count do
    if q.has.burning[i] and q.mote.a[i] == 3 then world.emit("hit", { n = q.burning.left[i] }) end
    if q.has.burning[i] then q.burning.left[i] = q.burning.left[i] + 1 end
  end
end }]],
        single = [[
return { after = "exits", query = { "mote", optional = { "burning" } }, precision = "single", update = function(q, dt)
  for i = 1, q.count do
    if q.has.burning[i] then q.burning.rate[i] = q.burning.rate[i] * 0.9 + dt * q.mote.b[i] end
  end
end }]],
      },
      explain = { burn = "native, no rows in Lua", fields = "native, some rows in Lua",
        others = "native, no rows in Lua", exits = "native, no rows in Lua", single = "native, no rows in Lua" },
    },
    {
      systems = { unguarded = [[
return { query = { "mote", optional = { "shield" } }, update = function(q)
  for i = 1, q.count do
    if q.mote.b[i] > 60 then q.shield.left[i] = q.mote.a[i] end
  end
end }]] },
      status = 1,
      messages = { "systems/unguarded.lua:3: row 181 has no shield: check q.has first" },
    },
  },
}

-- Machine code emits events in row order. The handlers make their order, values and defaults part of the world's hash.
local events = [[
local t = shoal.types
return {
  hit = { n = 0 },
  full = { of = t.entity, to = t.entity, x = t.f64(2), y = 3, n = t.i32(-4), small = t.u8(5), flag = true,
    kind = t.enum { "x", "y", "z" }, word = "default" },
  empty = {},
}]]
local reader = [[
return {
  on = {
    full = function(q)
      local sum = world.single.hits.sum
      for i = 1, q.count do
        local v = q.x[i] + q.y[i] * 3 + q.n[i] * 7 + q.small[i] * 11 + (q.flag[i] and 13 or 17) + #q.kind[i] * 0.5
        if q.to[i]:alive() then v = v + q.to[i].mote.a end
        if q.of[i]:alive() then v = v + q.of[i].mote.b end
        sum = (sum * 1.25 + v + (q.kind[i] == "y" and 2 or 0) + #q.word[i]) % 100003
      end
      world.single.hits.sum = sum
    end,
    empty = function(q) world.single.hits.sum = world.single.hits.sum + q.count end,
  },
}]]
local modes = { "interpreted", "LuaJIT", "sse2,now", "now,guard", "now,split", "on", "now,swap1", "now,swap4", "now" }

return {
  title = "native systems emit events in row order",
  ticks = 4,
  modes = modes,
  events = events,
  variants = {
    {
      systems = {
        read = reader,
        all = [[
return { query = { "mote" }, update = function(q, dt)
  local m = q.mote
  for i = 1, q.count do
    if (i + world.tick) % 3 == 0 then
      world.emit("full", { of = q.entity[i], to = m.to[i], x = m.a[i] / 3, y = m.b[i] * dt, n = m.n[i],
        small = m.small[i], flag = m.flag[i], kind = m.kind[i] })
    end
    if m.a[i] > 4 then world.emit("hit", { n = i }) end
    m.a[i] = m.a[i] + 0.5
  end
end }]],
        some = [[
return { after = "all", query = { "mote", "extra" }, each = function(e)
  local v = e.extra.v
  if e.mote.flag then world.emit("empty") else world.emit("full", { y = v, kind = e.mote.kind, flag = v > 1 }) end
  e.extra.v = v + e.mote.a
end }]],
        every = [[
return { after = "some", query = { "mote", optional = { "extra" } }, update = function(q)
  for i = 1, q.count do
    world.emit("full", { y = q.has.extra[i] and q.extra.v[i] or 0, n = 3, to = shoal.none })
  end
end }]],
        -- These take side exits: two lines that emit the same event, strings, and numbers that might not fit.
        twice = [[
return { after = "every", query = { "mote" }, update = function(q)
  for i = 1, q.count do
    if q.mote.a[i] > 6 then world.emit("hit", { n = i }) elseif q.mote.b[i] > 3 then world.emit("hit", { n = 1 }) end
  end
end }]],
        text = [[
return { after = "twice", query = { "mote" }, update = function(q)
  for i = 1, q.count do
    if i % 50 == 0 then world.emit("full", { word = q.mote.word[i] }) end
  end
end }]],
        large = [[
return { after = "text", query = { "mote" }, update = function(q)
  for i = 1, q.count do
    if i % 40 == 0 then world.emit("full", { small = q.mote.n[i] }) end
  end
end }]],
        stepped = [[
return { after = "large", query = { "mote" }, update = function(q)
  for i = 3, q.count - 5 do
    if q.mote.a[i] > 3 then world.emit("hit", { n = q.mote.a[i] }) end
  end
end }]],
        around = [[
return { after = "stepped", query = { "mote" }, update = function(q)
  local sum = 0
  for i = 1, q.count do sum = sum + q.mote.a[i] end
  for i = 1, q.count do
    if q.mote.a[i] * q.count < sum then world.emit("hit", { n = q.mote.a[i] }) end
  end
  world.emit("empty")
end }]],
      },
      explain = {
        all = "native, no rows in Lua", some = "native, no rows in Lua", every = "native, no rows in Lua",
        twice = "native, some rows in Lua", text = "native, some rows in Lua", large = "native, some rows in Lua",
        stepped = "native, some rows in Lua", around = "native, no rows in Lua",
        ["around, loop 2"] = "native, no rows in Lua",
      },
    },
  },
}

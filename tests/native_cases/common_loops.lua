-- Inner loops whose bounds are the same for all rows: rows execute them together, in vectors.
return {
  title = "inner loops with the same bounds in all rows run natively, even if split among workers or with rows in Lua",
  ticks = 4,
  modes = { "interpreted", "LuaJIT", "sse2,now", "now,guard", "now,split", "on", "now,swap1", "now" },
  systems = {
    attract = [[
return { query = { "mote" }, update = function(q, dt)
  local x, y, mass, c, d = q.mote.x, q.mote.y, q.mote.a, q.mote.c, q.mote.d
  for i = 1, q.count do
    local own_x, own_y, pull_x, pull_y = x[i], y[i], 0, 0
    for k = 1, q.count do
      local dx, dy = x[k] - own_x, y[k] - own_y
      local square = dx * dx + dy * dy + 2
      if k ~= i then
        local pull = mass[k] / (square * math.sqrt(square))
        pull_x, pull_y = pull_x + dx * pull, pull_y + dy * pull
      end
    end
    c[i], d[i] = c[i] + pull_x * dt, d[i] + pull_y * dt
  end
end }]],
    guarded = [[
return { after = "attract", queries = { all = { "mote" }, some = { "mote", "extra" } }, update = function(q, dt)
  local a, c, n, v, y = q.all.mote.a, q.all.mote.c, q.all.mote.n, q.some.extra.v, q.some.mote.y
  for i = 1, q.all.count do
    if a[i] > 3 then
      local nearest, found, last = math.huge, false, nil
      for k = 1, math.min(q.some.count, 40) do
        local distance = math.abs(v[k] + y[k] - c[i])
        if distance < nearest then nearest, found, last = distance, k % 2 == 0, q.all.mote.to[i] end
        for j = k, k + 2 do nearest = nearest + j * dt end
        if a[i] == 6 then for j = 3, -1, -0.5 do c[i] = c[i] * 0.5 + j end end
      end
      if found then n[i] = (n[i] + math.floor(nearest)) % 1000 end
      if last then c[i] = c[i] + 0.25 end
    end
  end
  for i = 1, q.some.count do
    for k = 20, 1, -3 do v[i] = v[i] + c[k] % 2 end
  end
end }]],
    optional = [=[
return { after = "guarded", query = { "mote", optional = { "extra" } }, update = function(q)
  for i = 1, q.count do
    local sum = 0
    for k = 1, world.tick * 3 do
      if q.has.extra[i] then sum = sum + q.extra.v[i] * k end
      local other = world.lookup("mote").a[q.mote.from[i]]
      if other then sum = sum + other end
    end
    q.mote.d[i] = q.mote.d[i] * 0.5 + sum % 10
  end
end }]=],
    exits = [[
return { after = "optional", query = { "mote" }, update = function(q, dt)
  for i = 1, q.count do
    local sum = 0
    for k = 2, q.count, 25 do
      sum = sum + q.mote.b[k] * q.mote.x[i]
      if k == 27 and q.mote.n[i] % 50 == 3 then world.emit("hit", { n = i }) end
      if q.mote.b[i] == 4 and q.mote.a[i] == 2 then sum = sum + q.mote.y[(k - 2) / 25 + i % 2 + 1] end
    end
    q.mote.small[i] = sum % 256
    q.mote.c[i] = q.mote.c[i] + sum * dt
  end
end }]],
    read_own = [[
return { after = "exits", query = { "mote" }, update = function(q)
  local c = q.mote.c
  for i = 1, q.count do
    local own = c[i]
    for k = 1, 12 do own = own * 0.5 + c[k] end
    c[i] = own
  end
end }]],
    lengths = [[
return { after = "read_own", query = { "mote" }, each = function(e)
  local m = e.mote
  for k = 1, m.a do m.d = m.d * 0.5 + k end
end }]],
    stops = [[
return { after = "lengths", query = { "mote" }, each = function(e)
  local m = e.mote
  for k = 1, 20 do
    m.d = m.d * 0.5 + k
    if m.d > m.b * 5 then break end
  end
end }]],
    huge = [[
return { after = "stops", query = { "mote" }, each = function(e)
  local m, far = e.mote, 2 ^ 53 + world.tick * 2
  for k = far, far - 9 do m.d = m.d + k end
  for k = 9, -far, -2 ^ 51 do m.d = m.d * 0.5 + k % 7 end
end }]],
  },
  explain = { attract = "native, no rows in Lua", guarded = "native, no rows in Lua",
    ["guarded, loop 2"] = "native, no rows in Lua",
    optional = "native, no rows in Lua", exits = "native, some rows in Lua", read_own = "native, no rows in Lua",
    lengths = "native, no rows in Lua", stops = "native, no rows in Lua", huge = "native, no rows in Lua" },
}

-- Nested function calls with results of comparisons and lookups as arguments, and more calls than fit in a block. Rows
-- are spawned and destroyed so that the size of the last block changes.
local calls = {}
for k = 1, 21 do calls[k] = ("t = math.sin(t * %d + q.mote.b[i])\n"):format(k) end

return {
  title = "batched function calls compute a separate result for each row",
  ticks = 12,
  modes = { "interpreted", "sse2,now", "on", "now,guard", "now" },
  systems = {
    nested_calls = [=[
return { query = { "mote" }, update = function(q, dt)
  local m, other, now = q.mote, world.lookup("mote"), world.time
  for i = 1, q.count do
    local a, b = m.a[i], m.b[i]
    local angle = math.atan2(a - 3, b + math.sin(now + i))
    local d = other.d[m.from[i]] or 0.5
    m.c[i] = math.cos(math.tan(angle) * math.exp(-angle * angle)) + (m.flag[i] and math.sin(a) or math.log(b + dt))
    m.d[i] = math.sin(d + angle) ^ 2 * 0.5 + math.atan2(angle, 0)
    if math.sin(m.position.x[i]) > 0.25 then m.b[i] = b + math.cos(b) * dt end
    m.position.x[i] = m.position.x[i] + angle
  end
end }]=],
    many_calls = [[
return { phase = "post_update", query = { "mote" }, update = function(q, dt)
  for i = 1, q.count do
    local m, t = q.mote, q.mote.c[i]
    ]] .. table.concat(calls) .. [[
    m.a[i] = m.a[i] + t
  end
  local k = world.tick * 3
  q.entity[k + 1]:destroy()
  q.entity[k + 9]:destroy()
  if world.tick % 3 == 0 then
    for _ = 1, 11 do world.spawn("mote") end
  end
end }]],
  },
  explain = { nested_calls = "native, no rows in Lua", many_calls = "native, no rows in Lua" },
}

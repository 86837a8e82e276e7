-- A loop starts and steps with 0 instead of -0, and one whose step is NaN has no iterations, as in LuaJIT.
return {
  title = "native loops start and step with 0 instead of -0, and a loop with a step of NaN has no iterations",
  ticks = 6,
  modes = { "interpreted", "LuaJIT", "sse2,now", "on", "now" },
  components = [[
local t = shoal.types
return {
  mote = { start = t.f64(0), step = t.f64(0, { nan = true }), iterations = 0, sum = t.f64(0), visits = 0 },
  bounds = t.single { start = t.f64(0), step = t.f64(0, { nan = true }) },
}]],
  game = [[
local STARTS, STEPS = { -0.0, 0, 1, 3 }, { 1, -1, 0.5, -0.0, 0, 0 / 0, -(0 / 0) }
return { start = function()
  world.spawn_many("mote", 300, function(q)
    for i = 1, q.count do q.mote.start[i], q.mote.step[i] = STARTS[i % 4 + 1], STEPS[i % 7 + 1] end
  end)
end }]],
  systems = {
    a_bounds = [[
local STARTS, STEPS = { -0.0, 1, 3 }, { 1, 0 / 0, -(0 / 0) }
return { update = function()
  world.single.bounds.start = STARTS[world.tick % 3 + 1]
  world.single.bounds.step = STEPS[math.floor(world.tick / 2) % 3 + 1]
end }]],
    b_each_row = [[
return { after = "a_bounds", query = { "mote" }, each = function(e)
  local m, n = e.mote, 0
  for k = m.start, 2, m.step do
    n = n + 1
    m.sum = m.sum + 1 / k
    if n == 4 then break end
  end
  m.iterations = m.iterations + n
end }]],
    c_common = [[
return { after = "b_each_row", query = { "mote" }, update = function(q)
  local sum, bounds = q.mote.sum, world.single.bounds
  local start, step = bounds.start, bounds.step
  for i = 1, q.count do
    for k = start, 2, step do sum[i] = sum[i] + 1 / k end
  end
end }]],
    d_constant = [[
return { after = "c_common", query = { "mote" }, update = function(q)
  local sum, iterations = q.mote.sum, q.mote.iterations
  for i = 1, q.count do
    for k = -0.0, 1 do sum[i] = sum[i] + 1 / k end
    for _ = 1, 3, 0 / 0 do iterations[i] = iterations[i] + 1 end
    for _ = 1, 3, -(0 / 0) do iterations[i] = iterations[i] + 1 end
    for _ = 3, 1, 0 / 0 do iterations[i] = iterations[i] + 1 end
    for _ = 3, 1, -0.0 do iterations[i] = iterations[i] + 1 end
  end
end }]],
    e_stepped = [[
return { after = "d_constant", query = { "mote" }, update = function(q)
  local visits, step = q.mote.visits, world.single.bounds.step
  for i = 2, q.count, step do visits[i] = visits[i] + 1 end
end }]],
  },
  explain = { b_each_row = "native, no rows in Lua", c_common = "native, no rows in Lua",
    d_constant = "native, no rows in Lua", e_stepped = "native" },
}

-- A query for some of the components of a group that another query has created: most of its rows are contiguous, but in
-- a different order. The first row with a number out of range causes a warning.
return {
  title = "a query that overlaps a group gives the same world and the same warnings natively as in Lua",
  ticks = 60,
  modes = { "LuaJIT", "now", "now,split", "sse2,now" },
  options = "--workers 3",
  components = [[
local t = shoal.types
return {
  position = { x = 0, y = 0 },
  speed = { x = 0, y = 0 },
  health = { hp = 0, level = t.u8(250) },
  extra = { n = 0 },
}]],
  assemblages = [[
local all = { position = {}, speed = {}, health = {} }
return {
  a = { components = all },
  b = { components = { position = {}, speed = {} } },
  c = { components = { position = {} } },
  d = { components = { speed = {}, health = {}, extra = {} } },
}]],
  game = [[
return {}]],
  systems = {
    change = [[
local function spawn(count)
  for i = 1, count do
    local e = world.spawn(({ "a", "b", "a", "a", "c", "a", "d" })[i % 7 + 1])
    if e:has("speed") then e.speed.x, e.speed.y = i % 7 == 6 and 99 or i % 61, i % 53 end -- 99: d, outside the group
  end
end
return { phase = "input", query = { "position", "speed" }, start = function() spawn(9000) end, update = function(q)
  if world.tick % 8 ~= 0 then return end
  for i = 1, q.count, 97 do
    local e = q.entity[i]
    if i % 2 == 0 then e:destroy()
    elseif i % 3 == 0 then e:disable("position")
    elseif e:has("health") then e:remove("health")
    else e:add("health") end
  end
  spawn(100)
end }]],
    move = [[
return { query = { "position", "speed" }, update = function(q, dt)
  local x, y, vx, vy = q.position.x, q.position.y, q.speed.x, q.speed.y
  for i = 1, q.count do
    x[i], y[i] = x[i] + vx[i] * dt, y[i] + vy[i] * dt
  end
end }]],
    turn = [[
return { query = { "position", "speed", "health" }, precision = "single", after = "move", update = function(q)
  for i = 1, q.count do q.health.hp[i] = q.position.x[i] - q.speed.y[i] end
end }]],
    spin = [[
return { query = { "position", "speed", "health" }, precision = "single", after = "turn", update = function(q)
  for i = 1, q.count do q.health.hp[i] = q.position.x[i] + q.speed.y[i] end
end }]],
    level = [[
return { query = { "speed", "health" }, precision = "single", after = "turn", update = function(q)
  local level, x = q.health.level, q.speed.x
  for i = 1, q.count do level[i] = level[i] + (x[i] > 70 and 9 or x[i] > 5 and 6 or 1) end
end }]],
  },
  messages = { "got 259" },
  explain = { change = "native", move = "native", turn = "native", spin = "native", level = "native" },
}

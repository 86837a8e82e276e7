-- Loops whose rows depend on each other or are not consecutive: random numbers, writes to other rows, every nth row,
-- and values that are nil at first.
return {
  title = "random numbers, writes to other rows, strided loops and nil-initialized values run natively",
  ticks = 20,
  modes = { "LuaJIT", "sse2,now", "now,guard", "on", "now,swap1", "now" },
  components = [[
local t = shoal.types
local i32 = t.i32(0)
return { dot = { x = 0, y = 0, cell = i32, following = i32, luck = i32, goal = t.entity, hits = t.u8(0) },
  cell = { first = i32, count = i32, colour = t.u8(0), seen = false, by = 0 },
  nearest = t.single { distance = 0, dot = t.entity }, hits = t.single { sum = 0 } }]],
  assemblages = [[
return { dot = { components = { dot = {} } }, cell = { components = { cell = {} } } }]],
  game = [[
return { start = function()
  local dots = world.spawn_many("dot", 400)
  for i, e in ipairs(dots) do
    e.dot.x, e.dot.y = i * 7 % 100, i * 13 % 70
    if i % 11 > 0 then e.dot.goal = dots[i * 31 % 400 + 1] end
  end
  for i = 5, 400, 40 do dots[i]:destroy() end
  world.spawn_many("cell", 70)
end }]],
  systems = {
    grid = [[
return { queries = { dots = { "dot" }, cells = { "cell" } }, update = function(q)
  local x, y, cell, following = q.dots.dot.x, q.dots.dot.y, q.dots.dot.cell, q.dots.dot.following
  local first, count = q.cells.cell.first, q.cells.cell.count
  for c = 1, q.cells.count do first[c], count[c] = 0, 0 end
  for i = 1, q.dots.count do
    local c = math.floor(y[i] / 10) * 10 + math.floor(x[i] / 10) + 1
    cell[i], following[i], first[c] = c, first[c], i
    count[c] = count[c] + 1
  end
end }]],
    walk = [[
return { after = "grid", query = { "dot" }, each = function(e, dt)
  local dot = e.dot
  dot.x = (dot.x + world.random() - 0.5) % 100
  if dot.luck < 3 then dot.luck = world.random(6) - (dot.y > 30 and world.random(-2, 2) or 0) end
  dot.y = (dot.y + world.random(0.5, 1.5) * dt) % 70
end }]],
    strike = [[
return { after = "walk", query = { "dot" }, each = function(e)
  local other = world.lookup("dot")
  local hits = other.hits[e.dot.goal]
  if hits then
    other.hits[e.dot.goal] = (hits + 1) % 200
    e.dot.goal.dot.luck = e.dot.luck - e.dot.hits
  end
end }]],
    nearest = [[
return { after = "strike", query = { "dot" }, update = function(q)
  local x, y, nearest, min = q.dot.x, q.dot.y, nil, math.huge
  for i = 1 + world.tick % 3, q.count, 3 do
    local distance = math.abs(x[i] - 50) + math.abs(y[i] - 35)
    if distance < min then nearest, min = q.entity[i], distance end
  end
  for i = 2, q.count do q.dot.following[i] = q.dot.following[i] + q.dot.following[i - 1] % 7 end
  world.single.nearest.dot, world.single.nearest.distance = nearest, min
end }]],
    paint = [[
return { -- no row reads what other rows write: runs in vectors, whose stores are in row order
  after = "nearest",
  queries = { dots = { "dot" }, cells = { "cell" } },
  update = function(q)
    local x, luck, colour, seen = q.dots.dot.x, q.dots.dot.luck, q.cells.cell.colour, q.cells.cell.seen
    local by = q.cells.cell.by
    for i = 1, q.dots.count do
      local c = math.floor(x[i] * 0.7) + 1
      if luck[i] > 1 then
        seen[c], by[c] = luck[i] > 3, x[i]
        colour[c], colour[71 - c] = luck[i] * 20, i % 100
      end
    end
  end,
}]],
    paint_and_emit = [[
return { -- some rows fall back to Lua
  after = "paint",
  queries = { dots = { "dot" }, cells = { "cell" } },
  update = function(q)
    local x, y, colour, by = q.dots.dot.x, q.dots.dot.y, q.cells.cell.colour, q.cells.cell.by
    for i = 1, q.dots.count do
      local c = math.floor(x[i] * 0.7) + 1
      if i % 37 == 5 then world.emit("hit", { n = colour[c] }) end
      by[c], y[i] = y[i], (y[i] + 0.25) % 70
    end
  end,
}]],
  },
  explain = {
    grid = "native, no rows in Lua",
    ["grid, loop 2"] = "native, no rows in Lua",
    walk = "native, no rows in Lua",
    strike = "native, no rows in Lua",
    nearest = "native, no rows in Lua",
    ["nearest, loop 2"] = "native, no rows in Lua",
    paint = "native, no rows in Lua",
    paint_and_emit = "native, 200 to 299 rows in Lua",
  },
}

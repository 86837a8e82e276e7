local spatial = shoal.plugins.spatial
local ALL = 0xffffffff

local function spawn_scattered(count)
  local out = {}
  for i = 1, count do
    out[i] = world.spawn(nil, { transform = { x = world.random() * 500, y = world.random() * 300 }, spatial = {},
      neighbours = { radius = 60 } })
  end
  return out
end

local function sort_by_distance(all, x, y, radius, but)
  local found = {}
  for _, e in ipairs(all) do
    local dx, dy = e.transform.x - x, e.transform.y - y
    local far = math.sqrt(dx * dx + dy * dy)
    if e ~= but and far <= radius then found[#found + 1] = { e = e, far = far } end
  end
  table.sort(found, function(a, b) return a.far < b.far end)
  return found
end

return {
  ["neighbours and their number, centre and distances match a linear search"] = function(t)
    local all = spawn_scattered(120)
    t.wait(2)
    for _, e in ipairs(all) do
      local naive, near = sort_by_distance(all, e.transform.x, e.transform.y, 60, e), e.neighbours
      t.equal(near.count, #naive)
      for k = 1, 8 do
        t.equal(near["e" .. k], naive[k] and naive[k].e or shoal.none)
        t.near(near["d" .. k], naive[k] and naive[k].far or 0, 0.01)
      end
      local x = 0
      for _, other in ipairs(naive) do x = x + other.e.transform.x / #naive end
      t.near(near.centre_x, #naive > 0 and x or e.transform.x, 0.05)
    end
  end,
  ["searches accept lists of positions"] = function(t)
    local all = spawn_scattered(80)
    t.wait(2)
    local starts, n, found, many, distance = spatial.within({ 100, 400 }, { 100, 200 }, 90, ALL)
    t.equal(n, 3)
    local first, second = sort_by_distance(all, 100, 100, 90), sort_by_distance(all, 400, 200, 90)
    t.equal(many, #first + #second)
    t.equal(starts[2], #first)
    for k = 1, #second do
      t.equal(found[#first + k], second[k].e)
      t.near(distance[#first + k], second[k].far, 0.01)
    end
    local nearest, count = spatial.nearest({ 250 }, { 150 }, 3, 1e9, ALL)
    t.equal(count, 3)
    local naive = sort_by_distance(all, 250, 150, 1e9)
    for k = 1, 3 do t.equal(nearest[k], naive[k].e) end
  end,
  ["searches return only entities of their mask"] = function(t)
    local red = world.spawn(nil, { transform = { x = 10 }, spatial = { category = 2 } })
    world.spawn(nil, { transform = { x = 1 }, spatial = { category = 1 } })
    t.wait(2)
    local nearest = spatial.nearest({ 0 }, { 0 }, 1, 100, 2)
    t.equal(nearest[1], red)
  end,
  ["disabled entities are not found and keep their own neighbours"] = function(t)
    local all = {}
    for i = 1, 4 do
      all[i] = world.spawn(nil, { transform = { x = i }, spatial = {}, neighbours = {} })
    end
    t.wait(2)
    t.equal(all[3].neighbours.count, 3)
    all[2]:disable("spatial")
    all[4]:disable("neighbours")
    t.wait(2)
    t.equal(all[1].neighbours.count, 2)
    t.equal(all[2].neighbours.count, 3)
    t.equal(all[4].neighbours.count, 3)
    t.equal(all[1].neighbours.e1, all[3])
    local _, _, _, many = spatial.within({ 0 }, { 0 }, 100, ALL)
    t.equal(many, 3)
    all[2]:enable("spatial")
    all[1]:disable() -- disables the whole entity
    t.wait(2)
    local nearest = spatial.nearest({ 0 }, { 0 }, 1, 100, ALL)
    t.equal(nearest[1], all[2])
  end,
  ["invalid arguments of spatial functions are errors"] = function(t)
    t.fails(function() spatial.nearest({ 1 }, { 1 }, 65, 10, ALL) end, "k must be from 1 to 64")
    t.fails(function() spatial.nearest({ "x" }, { 1 }, 1, 10, ALL) end, "number")
    t.fails(function() spatial.nearest(1, { 1 }, 1, 10, ALL) end, "a list or a column of numbers")
  end,
}

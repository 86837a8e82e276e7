-- The columns of `neighbours` as seen by scripts; tests/unit/body_grid_test.c compares them with a scan of all bodies.
local FAR = -90000 -- a position where other tests have no bodies

local function spawn_at(x, y, radius, category)
  return world.spawn(nil, { transform = { x = FAR + x, y = FAR + y }, findable = { category = category },
    neighbours = { radius = radius } })
end

local function sort_by_distance(all, x, y, radius, but)
  local found = {}
  for _, e in ipairs(all) do
    local dx, dy = e.transform.x - x, e.transform.y - y
    local far = math.sqrt(dx * dx + dy * dy)
    if e ~= but and far < radius then found[#found + 1] = { e = e, far = far } end
  end
  table.sort(found, function(a, b) return a.far < b.far end)
  return found
end

local function destroy_all(list)
  for _, e in ipairs(list) do
    e:destroy()
  end
end

return {
  inside = {
    ["neighbours and their number, centre and distances match a linear search"] = function(t)
      local all = {}
      for i = 1, 120 do
        all[i] = spawn_at(world.random() * 500, world.random() * 300, 60)
      end
      t.wait(2)
      for _, e in ipairs(all) do
        local place, near = e.transform, e.neighbours
        local naive, x = sort_by_distance(all, place.x, place.y, 60, e), 0
        t.equal(near.count, #naive)
        for k = 1, 8 do
          t.equal(near["e" .. k], naive[k] and naive[k].e or shoal.none)
          t.near(near["d" .. k], naive[k] and naive[k].far or 0, 0.01)
        end
        for _, other in ipairs(naive) do x = x + other.e.transform.x / #naive end
        t.near(near.centre_x, #naive > 0 and x or place.x, 0.05)
      end
      destroy_all(all)
    end,
    ["a body is a neighbour if its edge is within the radius, and the mask selects bodies by category"] = function(t)
      local rock = world.spawn(nil, { transform = { x = FAR + 30, y = FAR }, body = { radius = 10, category = 2 } })
      local seer, ore = spawn_at(0, 0, 25), spawn_at(10, 0, 0, 4)
      t.wait(2)
      t.equal(seer.neighbours.count, 2)
      t.equal(seer.neighbours.e2, rock)
      t.equal(seer.neighbours.d2, 20)
      seer.neighbours.mask = 4
      t.wait(2)
      t.equal(seer.neighbours.count, 1)
      t.equal(seer.neighbours.e1, ore)
      destroy_all { rock, seer, ore }
    end,
    ["disabled entities are not found, and disabled neighbours keep their values"] = function(t)
      local all = {}
      for i = 1, 4 do
        all[i] = spawn_at(i, 500, 100)
      end
      t.wait(2)
      t.equal(all[3].neighbours.count, 3)
      all[2]:disable("findable")
      all[4]:disable("neighbours")
      t.wait(2)
      t.equal(all[1].neighbours.count, 2)
      t.equal(all[2].neighbours.count, 3)
      t.equal(all[4].neighbours.count, 3)
      t.equal(all[1].neighbours.e1, all[3])
      destroy_all(all)
    end,
    ["scripts cannot write the results in neighbours"] = function(t)
      local e = spawn_at(0, 900, 5)
      t.fails(function() e.neighbours.count = 3 end, "neighbours.count is read-only")
      destroy_all { e }
    end,
  },
}

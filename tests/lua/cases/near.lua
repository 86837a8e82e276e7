-- world.near, near_count, nearest, nearest_many, box and ray as seen by scripts; tests/unit/body_grid_test.c compares
-- them with a scan of all bodies.
local FAR = 90000 -- a position where other tests have no bodies
local SHIP, ROCK = 8, 16

local function spawn_body(x, y, category)
  return world.spawn(nil, { transform = { x = FAR + x, y = FAR + y }, body = { radius = 5, category = category } })
end

return {
  outside = {
    ["invalid arguments of spatial queries are errors"] = function(t)
      t.fails(function() world.near("here", 0, 1) end, "world.near: x must be a finite number, got text \"here\"")
      t.fails(function() world.near(0, 0) end, "world.near: the radius must be a finite number, got nil")
      t.fails(function() world.near(0, 0 / 0, 1) end, "world.near: y must be a finite number")
      t.fails(function() world.near(0, 0, 1, -1) end, "world.near: the mask must be an integer")
      t.fails(function() world.nearest(1 / 0, 0) end, "world.nearest: x must be a finite number")
      t.fails(function() world.box(0, 0, 1) end, "world.box: y2 must be a finite number")
      t.fails(function() world.near_count(0, 0) end, "world.near_count: the radius must be a finite number, got nil")
      t.fails(function() world.nearest_many(0, 0, -1) end, "world.nearest_many: k must be an integer from 0 to 65536",
        "got -1")
      t.fails(function() world.nearest_many(0, 0, 1.5) end, "world.nearest_many: k must be an integer")
      t.fails(function() world.near(0, 0, 1, nil, 3) end, "world.near: the list to fill must be a table, got 3")
      t.fails(function() world.ray(0, 0, 1, 1, "ships") end, "world.ray: the mask must be an integer",
        "got text \"ships\"")
    end,
    ["bodies are found at their positions, nearest first"] = function(t)
      local a, b, c = spawn_body(0, 0, SHIP), spawn_body(30, 0, ROCK), spawn_body(60, 0, SHIP)
      local near = world.near(FAR + 28, FAR, 40)
      t.equal(#near, 3)
      t.equal(near[1], b)
      t.equal(#world.near(FAR, FAR, 40, ROCK), 1)
      t.equal(#world.near(FAR, FAR, -3), 0)
      t.equal(world.nearest(FAR + 45, FAR, SHIP), c)
      t.equal(world.nearest(FAR, FAR, 2 ^ 31), nil)
      t.equal(#world.box(FAR - 10, FAR - 10, FAR + 40, FAR + 10), 2)
      local hit, x, y, nx, ny = world.ray(FAR + 100, FAR, FAR, FAR, SHIP)
      t.equal(hit, c)
      t.equal(table.concat({ x - FAR, y - FAR, nx, ny }, " "), "65 0 1 0")
      t.equal(world.ray(FAR + 100, FAR + 50, FAR, FAR + 50), nil)
      b.transform.y = FAR + 200 -- the query uses the new position immediately
      t.equal(#world.near(FAR + 30, FAR, 20), 0)
      b:disable()
      t.equal(world.nearest(FAR + 30, FAR + 200, ROCK), nil)
      for _, e in ipairs { a, b, c } do
        e:destroy()
      end
    end,
    ["world.near_count and nearest_many agree with world.near"] = function(t)
      local made = {}
      for i = 1, 90 do
        made[i] = spawn_body(i * 7 % 90, 5000 + i % 10 * 4, i % 2 == 0 and SHIP or ROCK)
      end
      local all = world.near(FAR + 45, FAR + 5020, 1000)
      t.equal(world.near_count(FAR + 45, FAR + 5020, 1000), 90)
      t.equal(world.near_count(FAR + 45, FAR + 5020, 1000, SHIP), 45)
      t.equal(world.near_count(FAR + 45, FAR + 5020, -1), 0)
      for _, k in ipairs { 0, 1, 2, 7, 64, 65, 90 } do
        local list = world.nearest_many(FAR + 45, FAR + 5020, k)
        t.equal(#list, k)
        for i = 1, k do
          t.equal(list[i], all[i])
        end
      end
      t.equal(world.nearest_many(FAR + 45, FAR + 5020, 3, SHIP)[1], world.nearest(FAR + 45, FAR + 5020, SHIP))
      for _, e in ipairs(made) do
        e:destroy()
      end
    end,
    ["findable entities without a body are found by their category"] = function(t)
      local ore = world.spawn(nil, { transform = { x = FAR, y = FAR + 8000 }, findable = { radius = 8, category = 4 } })
      local rock = spawn_body(30, 8000, ROCK)
      t.equal(world.near_count(FAR, FAR + 8000, 10, 4), 1)
      t.equal(world.nearest(FAR, FAR + 8000, 4), ore)
      t.equal(world.near(FAR + 30, FAR + 8000, 40)[2], ore)
      t.equal(world.ray(FAR - 50, FAR + 8000, FAR + 50, FAR + 8000, 4), ore)
      t.equal(#world.box(FAR - 1, FAR + 7999, FAR + 1, FAR + 8001), 1)
      ore:disable()
      t.equal(world.near_count(FAR, FAR + 8000, 10, 4), 0)
      ore:destroy()
      rock:destroy()
    end,
    ["a spatial query fills a given list and removes the list's values after the results"] = function(t)
      local a, b = spawn_body(0, 6000), spawn_body(8, 6000)
      local list = { 1, 2, 3, 4, 5 }
      t.is_true(world.near(FAR, FAR + 6000, 20, nil, list) == list)
      t.equal(#list, 2)
      t.is_true(list[1] == a and list[2] == b)
      t.equal(#world.box(FAR - 1, FAR + 5999, FAR + 1, FAR + 6001, nil, list), 1)
      t.equal(#world.near(FAR, FAR + 7000, 20, nil, list), 0)
      a:destroy()
      b:destroy()
    end,
    ["a spatial query returns all bodies even if they exceed its initial buffer"] = function(t)
      local made = {}
      for i = 1, 150 do
        made[i] = spawn_body(i, 1000, ROCK)
      end
      t.equal(#world.near(FAR + 75, FAR + 1000, 500, ROCK), 150)
      for _, e in ipairs(made) do
        e:destroy()
      end
    end,
  },
  inside = {
    ["spatial queries of a system use the positions and components at the system's start"] = function(t)
      local a = spawn_body(0, 3000)
      t.wait()
      a.transform.x = FAR + 500
      t.equal(#world.near(FAR + 500, FAR + 3000, 20), 0)
      t.equal(world.nearest(FAR + 500, FAR + 3000), a)
      t.equal(world.near_count(FAR, FAR + 3000, 20), 1)
      t.equal(world.ray(FAR - 100, FAR + 3000, FAR + 100, FAR + 3000), a)
      t.equal(#world.box(FAR + 480, FAR + 2990, FAR + 520, FAR + 3010), 0)
      t.wait()
      t.equal(#world.near(FAR + 500, FAR + 3000, 20), 1)
      a.body.enabled = false
      t.equal(#world.near(FAR + 500, FAR + 3000, 20), 1)
      t.wait()
      t.equal(#world.near(FAR + 500, FAR + 3000, 20), 0)
      a:destroy()
    end,
  },
}

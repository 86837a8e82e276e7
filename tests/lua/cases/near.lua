-- world.near, nearest, box and ray as seen by scripts; tests/unit/near_queries_test.c compares them with a linear
-- search.
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
      b.transform.y = FAR + 200 -- the query uses the new position at once
      t.equal(#world.near(FAR + 30, FAR, 20), 0)
      b:disable()
      t.equal(world.nearest(FAR + 30, FAR + 200, ROCK), nil)
      for _, e in ipairs { a, b, c } do
        e:destroy()
      end
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
}

local function spawn_at(x, y, parent)
  return world.spawn(nil, { transform = { x = x, y = y, parent = parent } })
end

return {
  outside = {
    ["a parent can be set at the spawn, by field, by e:set and in a column"] = function(t)
      local parent, b, c, d = spawn_at(0, 0), spawn_at(0, 0), spawn_at(0, 0), spawn_at(0, 0)
      local a = spawn_at(1, 1, parent)
      b.transform.parent = parent
      c:set("transform", { parent = parent })
      local q = world.query { "transform" }
      for i = 1, q.count do
        if q.entity[i] == d then
          q.transform.parent[i] = parent
        end
      end
      for _, child in ipairs { a, b, c, d } do
        t.equal(child:parent(), parent)
      end
      t.equal(#parent:children(), 4)
      t.equal(parent:parent(), nil)
      b.transform.parent = shoal.none
      t.equal(#parent:children(), 3)
      t.equal(b:parent(), nil)
      parent:destroy()
      b:destroy()
      t.equal(world.count("transform"), 0)
    end,
    ["destroying a parent destroys all its descendants"] = function(t)
      local list = { spawn_at(0, 0) }
      for i = 2, 50 do
        list[i] = spawn_at(1, 0, list[i - 1])
      end
      list[10]:destroy()
      for i = 1, 50 do
        t.equal(list[i]:alive(), i < 10)
      end
      list[1]:destroy()
    end,
    ["children of a parent with orphan = true survive it and keep their position"] = function(t)
      local parent = world.spawn(nil, { transform = { x = 100, y = 50, angle = math.pi / 2, orphan = true } })
      local child = spawn_at(10, 0, parent)
      t.equal(child:parent(), parent)
      parent:destroy()
      t.is_true(child:alive())
      t.equal(child:parent(), nil)
      t.near(child.transform.x, 100, 1e-3)
      t.near(child.transform.y, 60, 1e-3)
      t.near(child.transform.angle, math.pi / 2, 1e-3)
      child:destroy()
    end,
    ["e:children() returns an array in the order of addition"] = function(t)
      local parent = spawn_at(0, 0)
      local a, b, c = spawn_at(1, 0, parent), spawn_at(2, 0, parent), spawn_at(3, 0, parent)
      local list = parent:children()
      t.is_true(list[1] == a and list[2] == b and list[3] == c)
      b:destroy()
      list = parent:children()
      t.is_true(#list == 2 and list[1] == a and list[2] == c)
      local bare = world.spawn()
      t.equal(#bare:children(), 0)
      t.equal(bare:parent(), nil)
      bare:destroy()
      parent:destroy()
    end,
    ["an invalid parent is an error that names the field"] = function(t)
      t.fails(function() spawn_at(0, 0, "me") end, "transform.parent", "entity")
      local e = spawn_at(0, 0)
      t.fails(function() e.transform.parent = 5 end, "transform.parent")
      e.transform.parent = e -- a cycle, which is logged and cleared
      t.equal(#e:children(), 0)
      t.equal(e:parent(), nil)
      e:destroy()
    end,
  },
  inside = {
    ["the world matrix follows changes of fields and parents immediately"] = function(t)
      local parent = world.spawn(nil, { transform = { x = 100, angle = math.pi / 2, scale_x = 2, scale_y = 2 } })
      local child = spawn_at(10, 0, parent)
      t.wait()
      child.transform.x = 20
      t.near(child.transform.world[14], 40, 1e-3)
      t.near(world.lookup("transform").world[child][14], 40, 1e-3)
      parent.transform.y = 5
      t.near(child.transform.world[14], 45, 1e-3)
      child.transform.x, parent.transform.y = 10, 0
      local m = child.transform.world
      t.near(m[13], 100, 1e-3)
      t.near(m[14], 20, 1e-3)
      t.near(m[1], 0, 1e-3)
      t.near(m[2], 2, 1e-3)
      local q = world.query { "transform" }
      local found = false
      for i = 1, q.count do
        found = found or (q.entity[i] == child and math.abs(q.transform.world[i][14] - 20) < 1e-3)
      end
      t.is_true(found)
      parent:destroy()
      t.wait()
      t.is_false(child:alive())
    end,
    ["world positions are read from columns, handles and lookups"] = function(t)
      local parent = world.spawn(nil, { transform = { x = 100, angle = math.pi / 2, scale_x = 2, scale_y = 2 } })
      local child = spawn_at(10, 3, parent)
      t.wait()
      local q, found = world.query { "transform" }, 0
      local wx, wy = q.transform.world_x, q.transform.world_y
      parent.transform.x = 200
      for i = 1, q.count do
        local matrix = q.transform.world[i]
        if q.entity[i] == child then
          t.near(wx[i], 94, 1e-3)
          t.near(wy[i], 20, 1e-3)
          t.near(matrix[13], 194, 1e-3)
          t.equal(q.transform.world_x[i], wx[i])
          found = found + 1
        elseif q.entity[i] ~= parent then
          t.equal(wx[i], matrix[13])
          t.equal(wy[i], matrix[14])
        end
      end
      t.equal(found, 1)
      t.near(child.transform.world_x, 194, 1e-3)
      t.near(world.lookup("transform").world_y[child], 20, 1e-3)
      local pairs_of_child = world.query { optional = { "transform" }, "name" }
      t.fails(function() return pairs_of_child.transform.world_x[pairs_of_child.count + 1] end, "out of range")
      local fix = "is read-only, computed from other fields of transform: write these fields"
      t.fails(function() wx[1] = 3 end, "transform.world_x " .. fix)
      t.fails(function() child.transform.world_y = 3 end, "transform.world_y " .. fix)
      t.fails(function() world.lookup("transform").world_x[child] = 3 end, "transform.world_x " .. fix)
      t.fails(function() world.spawn(nil, { transform = { world_x = 3 } }) end, "world_x")
      t.fails(function() return q.transform.world_z end, "has no field", "world_z")
      parent:destroy()
      t.wait()
    end,
    ["a parent spawned by the same system takes effect when the system ends"] = function(t)
      local parent = world.spawn("rock")
      local child = spawn_at(1, 0, parent)
      t.wait()
      t.equal(child:parent(), parent)
      t.equal(parent:children()[1], child)
      parent:destroy()
      t.is_true(child:alive())
      t.wait()
      t.is_false(child:alive())
    end,
  },
}

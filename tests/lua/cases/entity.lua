local function dead()
  local e = world.spawn("rock")
  e:destroy()
  return e
end

return {
  outside = {
    ["entities compare, serve as keys and print"] = function(t)
      local a, b = world.spawn("rock"), world.spawn("rock")
      t.is_true(a == a and a ~= b)
      local seen = { [a] = 1, [b] = 2 }
      t.equal(seen[a] + seen[b], 3)
      t.is_true(tostring(a):match("^entity%(%d+:%d+") ~= nil)
      a:destroy()
      b:destroy()
    end,
    ["shoal.none is no entity"] = function(t)
      t.is_false(shoal.none:alive())
      t.is_false(shoal.none:destroy())
      t.equal(tostring(shoal.none), "none")
      t.fails(function() return shoal.none.motion.vx end, "no entity")
    end,
    ["a dead entity in every method is false or an error, never a crash"] = function(t)
      local e = dead()
      t.is_false(e:alive())
      t.is_false(world.alive(e))
      t.is_false(e:destroy())
      for _, call in ipairs {
        function() e:has("motion") end, function() e:add("burning") end, function() e:set("motion", { vx = 1 }) end,
        function() e:remove("motion") end, function() e:enter("dying") end, function() e:state() end, function() e:children() end,
        function() e:parent() end, function() e:name() end, function() e:assemblage() end, function() e:describe() end,
        function() e:send("hit") end, function() return e.motion.vx end, function() e.motion.vx = 1 end,
      } do
        t.fails(call, "dead", "destroyed at tick")
      end
    end,
    ["the message about a dead entity is about it and not about the one that has its place"] = function(t)
      local e = dead()
      t.fails(function() return e.motion.vx end, "outside systems")
    end,
    ["add, set and remove change components"] = function(t)
      local e = world.spawn("rock")
      t.is_false(e:has("burning"))
      e:add("burning", { heat = 2 })
      t.is_true(e:has("burning"))
      t.equal(e.burning.heat, 2)
      e:set("burning", { heat = 3 })
      t.equal(e.burning.heat, 3)
      t.is_true(e:remove("burning"))
      t.is_false(e:remove("burning"))
      t.fails(function() return e.burning.heat end, "has no burning")
      t.fails(function() e:set("burning", { heat = 3 }) end, "has no burning")
      e:destroy()
    end,
    ["named instances are reached by name"] = function(t)
      local e = world.spawn("tank", { gun = { left = { cooldown = 2 } } })
      t.equal(e.gun.left.heat, 1)
      t.equal(e.gun.left.cooldown, 2)
      t.equal(e.gun.right.heat, 0)
      e.gun.right.heat = 0.5
      t.equal(e.gun.right.heat, 0.5)
      e:add("gun", { heat = 9 }, "rear")
      t.equal(e.gun.rear.heat, 9)
      t.is_true(e:remove("gun", "left"))
      t.fails(function() return e.gun.left.heat end, "gun", "left")
      t.equal(e.gun.rear.heat, 9)
      e:destroy()
    end,
    ["describe is a table of every component and field"] = function(t)
      local e = world.spawn("tank", { every_type = {} })
      local d = e:describe()
      t.equal(d.health.hp, 7)
      t.equal(d.gun.left.heat, 1)
      t.equal(d.every_type.word, "abc")
      t.equal(d.every_type.v3[3], 3)
      t.equal(d.score, nil)
      e:destroy()
    end,
    ["assemblage and state are told"] = function(t)
      local e, nobody = world.spawn("tank"), world.spawn()
      t.equal(e:assemblage(), "tank")
      t.equal(e:state(), "alive")
      t.equal(nobody:assemblage(), nil)
      t.equal(nobody:state(), nil)
      e:destroy()
      nobody:destroy()
    end,
    ["a component or field that does not exist is an error with what there is"] = function(t)
      local e = world.spawn("rock")
      t.fails(function() return e.motoin end, "motoin")
      t.fails(function() return e.motion.vz end, "vz", "vx")
      t.fails(function() e.motion.vx = "fast" end, "number")
      t.fails(function() e.motion = {} end, "motion")
      t.fails(function() e:add("nothing") end, "nothing")
      t.fails(function() e:add("score") end, "single")
      e:destroy()
    end,
  },
}

local function make_dead_entity()
  local e = world.spawn("rock")
  e:destroy()
  return e
end

return {
  outside = {
    ["entities can be compared, used as table keys and printed"] = function(t)
      local a, b = world.spawn("rock"), world.spawn("rock")
      t.is_true(a == a and a ~= b)
      local seen = { [a] = 1, [b] = 2 }
      t.equal(seen[a] + seen[b], 3)
      t.is_true(tostring(a):match("^entity%(%d+:%d+") ~= nil)
      a:destroy()
      b:destroy()
    end,
    ["shoal.none is never alive, and reading a component of it is an error"] = function(t)
      t.is_false(shoal.none:alive())
      t.is_false(shoal.none:destroy())
      t.equal(tostring(shoal.none), "none")
      t.fails(function() return shoal.none.motion.vx end, "not an entity")
    end,
    ["methods of a dead entity return false or raise an error"] = function(t)
      local e = make_dead_entity()
      t.is_false(e:alive())
      t.is_false(world.alive(e))
      t.is_false(e:destroy())
      for _, call in ipairs {
        function() e:add("burning") end, function() e:set("motion", { vx = 1 }) end,
        function() e:remove("motion") end, function() e:enter("dying") end, function() e:disable() end,
        function() e:describe() end, function() e:json() end, function() e:send("hit") end,
        function() return e.motion.vx end, function() e.motion.vx = 1 end,
      } do
        t.fails(call, "dead", "destroyed at tick")
      end
    end,
    ["has, state, parent and children of a dead entity return empty results without an error"] = function(t)
      local e = make_dead_entity()
      t.is_false(e:has("motion"))
      t.is_false(e:has("likes", e))
      t.equal(e:state(), nil)
      t.equal(e:parent(), nil)
      t.equal(#e:children(), 0)
      t.is_true(e == e and e ~= world.spawn())
      t.fails(function() e:has("moton") end, "did you mean motion?")
      t.fails(function() shoal.none:has("motion") end, "shoal.none is not an entity")
    end,
    ["a dead entity keeps its last name and assemblage, even after a restore"] = function(t)
      local e, plain = world.spawn("rock", { name = { value = "boulder" } }), world.spawn()
      local state = e:state()
      e:destroy()
      plain:destroy()
      t.equal(e:name(), "boulder")
      t.equal(e:assemblage(), "rock")
      t.equal(plain:name(), nil)
      t.equal(plain:assemblage(), nil)
      local before = world.snapshot()
      world.restore(before)
      t.equal(e:name(), "boulder")
      t.equal(e:assemblage(), "rock")
      t.equal(state, nil)
      t.fails(function() shoal.none:name() end, "shoal.none is not an entity")
    end,
    ["an error about an entity destroyed outside systems states where it was destroyed"] = function(t)
      local e = make_dead_entity()
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
    ["named instances are accessed by name"] = function(t)
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
    ["an unnamed instance is accessed by its fields, and an instance named like a field by its name"] = function(t)
      local e = world.spawn("tank")
      t.fails(function() return e.gun.heat end, "gun", "heat")
      e:add("gun", { heat = 3 })
      e.gun.heat = e.gun.heat + 1
      t.equal(e.gun.heat, 4)
      t.equal(e.gun.left.heat, 1)
      t.fails(function() e.gun.heat = "hot" end, "number")
      e:add("gun", { heat = 9 }, "heat")
      t.equal(e.gun.heat.heat, 9)
      e:destroy()
    end,
    ["add on an existing component keeps the omitted fields"] = function(t)
      local e = world.spawn("rock")
      t.equal(e:add("motion", { vy = 3 }), e)
      t.equal(e.motion.vx, 20)
      t.equal(e.motion.vy, 3)
      e:destroy()
    end,
    ["invalid names and values in has, add, set and remove are errors"] = function(t)
      local e = world.spawn("tank")
      t.fails(function() e:has("nothing") end, "e:has", "nothing")
      t.fails(function() e:has(nil) end, "e:has")
      t.fails(function() e:has("score") end, "single")
      t.fails(function() e:add("motion", 5) end, "motion", "table of fields")
      t.fails(function() e:add("motion", { vx = {} }) end, "motion.vx", "number")
      t.fails(function() e:add("motion", { vx = 1 }, "left") end, "named instances")
      t.fails(function() e:add("gun", {}, 5) end, "instance")
      t.fails(function() e:set("gun", { heat = 1 }, "middle") end, "gun", "middle")
      t.fails(function() e:set("target", { entity = e }) end, "has no target")
      t.fails(function() e:remove("nothing") end, "e:remove", "nothing")
      t.fails(function() e.destroy() end, "colon")
      t.fails(function() return e.gun[1] end, "named instances")
      t.equal(e.burning.heat, 1)
      e:destroy()
    end,
    ["every method called with a dot instead of a colon is an error"] = function(t)
      local e = world.spawn("tank")
      for _, name in ipairs { "add", "alive", "answer", "assemblage", "child", "children", "describe", "destroy",
        "disable", "enable", "enter", "has", "json", "name", "parent", "remove", "send", "sequence", "set", "state" } do
        local method = e[name]
        t.fails(function() method() end, "e:" .. name .. "(", "with a colon")
        t.fails(function() method("gun", { heat = 1 }) end, "gun is not an entity", "e:" .. name .. "(", "with a colon")
      end
      e:destroy()
    end,
    ["remove without an instance name removes every instance"] = function(t)
      local e = world.spawn("tank")
      t.is_true(e:remove("gun"))
      t.is_false(e:has("gun"))
      t.is_false(e:remove("gun"))
      e:destroy()
    end,
    ["tostring of a component names its entity"] = function(t)
      local e = world.spawn("tank", { name = "bob" })
      t.is_true(tostring(e.health):find("health of entity(", 1, true) ~= nil)
      t.is_true(tostring(e.health):find(": hp = ", 1, true) ~= nil)
      t.is_true(tostring(e.gun.left):find("gun.left of", 1, true) ~= nil)
      t.is_true(tostring(e):find('"bob")', 1, true) ~= nil)
      t.fails(function() return e.target end, "bob", "has no target")
      e:destroy()
    end,
    -- Source of this test (see engine/docs/sources.md): Evolve your hierarchy, object inspector.
    ["e:describe() returns every component and field"] = function(t)
      local e = world.spawn("tank", { every_type = {} })
      local d = e:describe()
      t.equal(d.health.hp, 7)
      t.equal(d.gun.left.heat, 1)
      t.equal(d.every_type.word, "abc")
      t.equal(d.every_type.v3[3], 3)
      t.equal(d.score, nil)
      e:destroy()
    end,
    ["e:assemblage() and e:state() return names"] = function(t)
      local e, nobody = world.spawn("tank"), world.spawn()
      t.equal(e:assemblage(), "tank")
      t.equal(e:state(), "alive")
      t.equal(nobody:assemblage(), nil)
      t.equal(nobody:state(), nil)
      e:destroy()
      nobody:destroy()
    end,
    ["an unknown component or field is an error that suggests valid names"] = function(t)
      local e = world.spawn("rock")
      t.fails(function() return e.motoin end, "motoin")
      t.fails(function() return e.motion.vz end, "vz", "vx")
      t.fails(function() e.motion.vx = "fast" end, "number")
      t.fails(function() e.motion = {} end, "e.motion.spin = …")
      t.fails(function() e.score = 3 end, "use world.single.score")
      t.fails(function() e.frozen = true end, "use e:add(\"frozen\")")
      t.fails(function() e.destroy = 3 end, "it is a method")
      t.fails(function() e:add("nothing") end, "nothing")
      t.fails(function() e:add("score") end, "single")
      e:destroy()
    end,
    ["a loop that calls C gives the correct result when its length is near LuaJIT's limits"] = function(t)
      local e = world.spawn("rock")
      for length = 940, 1000 do -- at some of these lengths, the call exceeds LuaJIT's limit on guards
        local lines = { "local e, n, has = ..., 0, 0 for i = 1, 150 do" }
        for i = 2, length do
          lines[i] = "n = n + 1 if n < 0 then n = 0 end"
        end
        lines[#lines + 1] = "if e:has('motion') then has = has + 1 end end return n, has"
        local n, has = load(table.concat(lines, "\n"))(e)
        t.equal(n, 150 * (length - 1))
        t.equal(has, 150)
      end
      e:destroy()
    end,
  },
  inside = {
    ["C and Lua read the same 30-bit entity id"] = function(t)
      for _ = 1, 3000 do -- these indices can be reused after 150 ticks
        world.spawn(nil, { fuel = {} }):destroy()
      end
      t.wait(150)
      local e = world.spawn(nil, { fuel = { left = 7 } })
      t.wait()
      local index, generation = tostring(e):match("^entity%((%d+):(%d+)")
      local id = generation * 4194304 + index
      t.is_true(tonumber(generation) > 0 and id < 2 ^ 30)
      local q, raw = world.query { "fuel" }, nil
      for i = 1, q.count do
        raw = q.entity[i] == e and q.entity:raw(i) or raw
      end
      t.equal(raw, id)
      t.equal(world.lookup("fuel").left[id], 7)
      -- world.sql passes the handle to C, as a light userdata
      local rows = world.sql("SELECT entity + 0 AS id FROM fuel WHERE entity = ?", e)
      t.equal(#rows, 1)
      t.equal(rows[1].id, id)
      e:destroy()
    end,
    ["the index of a dead entity is reused after 150 ticks, and only then its name is lost"] = function(t)
      local e = world.spawn("rock", { name = { value = "boulder" } })
      local index = tostring(e):match("^entity%((%d+):")
      t.wait()
      e:destroy()
      for _ = 1, 2000 do -- more than the 1,024 freed indices that wait for reuse
        world.spawn():destroy()
      end
      t.wait(149)
      t.equal(e:name(), "boulder")
      t.equal(e:assemblage(), "rock")
      t.wait()
      local used_again = false
      for _ = 1, 300000 do -- indices that earlier tests have freed are reused first
        local other = world.spawn()
        used_again = used_again or tostring(other):match("^entity%((%d+):") == index
        other:destroy()
        if used_again then break end
      end
      t.is_true(used_again)
      t.equal(e:name(), nil)
      t.equal(e:assemblage(), nil)
    end,
  },
}

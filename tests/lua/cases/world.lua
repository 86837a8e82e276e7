return {
  outside = {
    ["chronicle functions require a served world"] = function(t)
      t.fails(function() chronicle.ask("SELECT 1 AS a") end, "chronicle.ask", "serve = ")
      t.fails(function() chronicle.rows(world.spawn()) end, "chronicle.rows", "question")
    end,
    ["an empty entity is alive and has no components"] = function(t)
      local e = world.spawn()
      t.is_true(e:alive())
      t.is_false(e:has("motion"))
      t.is_true(e:destroy())
      t.is_false(e:alive())
    end,
    ["overrides replace values of the assemblage and add components"] = function(t)
      local e = world.spawn("rock", { motion = { vy = 3 }, label = { text = "hello" } })
      t.equal(e.motion.vx, 20)
      t.equal(e.motion.vy, 3)
      t.equal(e.label.text, "hello")
      e:destroy()
    end,
    ["an invalid override spawns nothing and lists valid names"] = function(t)
      local before = world.count("transform")
      t.fails(function() world.spawn("rock", { motion = { vz = 3 } }) end, "motion", "vz", "vx")
      t.fails(function() world.spawn("rock", { moton = {} }) end, "moton")
      t.fails(function() world.spawn("rock", { motion = { vx = "fast" } }) end, "motion.vx", "number")
      t.fails(function() world.spawn("boulder") end, "boulder", "rock")
      t.equal(world.count("transform"), before)
    end,
    ["spawn_many fills columns before the entities exist"] = function(t)
      local es = world.spawn_many("rock", 100, function(q)
        for i = 1, q.count do
          q.transform.x[i] = i
        end
      end)
      t.equal(#es, 100)
      t.equal(es[7].transform.x, 7)
      t.equal(es[100].motion.vx, 20)
      t.equal(world.count("rock"), 100)
      for _, e in ipairs(es) do
        e:destroy()
      end
      t.equal(world.count("rock"), 0)
    end,
    ["an error in the function given to spawn_many spawns nothing"] = function(t)
      local before = world.count("transform")
      t.fails(function() world.spawn_many("rock", 10, function(q) q.transform.x[11] = 1 end) end, "transform.x", "11")
      t.equal(world.count("transform"), before)
    end,
    ["world.find returns the entity with a name"] = function(t)
      local e = world.spawn(nil, { name = "somebody" })
      t.equal(world.find("somebody"), e)
      t.equal(e:name(), "somebody")
      t.equal(tostring(e):match('"somebody"'), '"somebody"')
      e:destroy()
      t.equal(world.find("somebody"), nil)
    end,
    ["world.each skips entities that are destroyed during the loop"] = function(t)
      local es = world.spawn_many("rock", 5)
      local seen = 0
      for e in world.each("motion", "health") do
        seen = seen + 1
        if e == es[1] then
          es[2]:destroy()
        end
        e:destroy()
      end
      t.equal(seen, 4)
    end,
    ["world.random returns numbers within its interval"] = function(t)
      for _ = 1, 1000 do
        local a, b, c = world.random(), world.random(6), world.random(-2, 2)
        t.is_true(a >= 0 and a < 1)
        t.is_true(b >= 1 and b <= 6 and b % 1 == 0)
        t.is_true(c >= -2 and c <= 2 and c % 1 == 0)
      end
      t.fails(function() world.random(3, 1) end, "expected two numbers, the smaller one first")
    end,
    ["world.random accepts each valid interval and rejects invalid intervals"] = function(t)
      t.equal(world.random(10, 10), 10)
      t.equal(world.random(0, 0), 0)
      local x = world.random(1.5, 2.5)
      t.is_true(x >= 1.5 and x < 2.5)
      for _, wrong in ipairs { "a", {}, 0, -3 } do
        t.fails(function() world.random(wrong) end, "world.random")
      end
    end,
    ["world.find returns the first of two entities with the same name"] = function(t)
      local a, b = world.spawn(nil, { name = "twin" }), world.spawn(nil, { name = { value = "twin" } })
      t.equal(world.find("twin"), a)
      a:destroy()
      t.equal(world.find("twin"), b)
      b:destroy()
      t.equal(world.find(""), nil)
      t.fails(function() world.find(nil) end, "world.find")
      t.fails(function() world.find(5) end, "world.find")
    end,
    ["world.hash changes with the world and is equal for equal states"] = function(t)
      local e = world.spawn("rock")
      local before = world.hash()
      e.motion.vx = 21
      t.is_true(world.hash() ~= before)
      e.motion.vx = 20
      t.equal(world.hash(), before)
      t.is_true(before:match("^%x+$") ~= nil and #before == 16)
      e:destroy()
    end,
    ["singletons are read and written by name"] = function(t)
      t.equal(world.single.score.value, 0)
      world.single.score.value = 10
      t.equal(world.single.score.value, 10)
      t.equal(world.single.score.best.x, 3)
      world.single.score.best = { 5, 6 }
      t.equal(world.single.score.best.y, 6)
      t.fails(function() return world.single.scores end, "scores", "score")
      t.fails(function() world.single.score.valu = 1 end, "valu", "value")
    end,
    ["an unknown name in world is an error that suggests the nearest name"] = function(t)
      t.fails(function() world.spwan("rock") end, "spwan", "spawn")
      t.fails(function() world.tick = 3 end, "tick") -- luacheck: ignore 122
    end,
    ["world.room is nil in a world that is not a room"] = function(t)
      t.equal(world.room, nil)
    end,
    ["world.save and world.load reject save names that are not plain file names"] = function(t)
      for _, name in ipairs { "../x", "a/b", "/x", ".x", "", "a..b", ("x"):rep(61) } do
        t.fails(function() world.save(name) end, "world.save", "invalid save name")
        t.fails(function() world.load(name) end, "world.load", "invalid save name")
      end
      t.fails(function() world.save(3) end, "world.save", "got 3")
    end,
  },
  inside = {
    ["sixty ticks advance world.time by one second"] = function(t)
      local tick, time = world.tick, world.time
      t.wait(60)
      t.equal(world.tick - tick, 60)
      t.near(world.time - time, 1)
    end,
    ["an entity spawned in a system can be read immediately, and queries find it in the next tick"] = function(t)
      local before, rows = world.count("rock"), world.count("motion")
      local e = world.spawn("rock", { motion = { vx = 4 } })
      t.is_true(e:alive())
      t.is_true(e:has("motion"))
      t.equal(e.motion.vx, 4)
      e.motion.vy = 6
      t.equal(e.motion.vy, 6)
      t.equal(world.count("rock"), before)
      t.equal(world.count("motion"), rows)
      t.equal(world.query({ "motion" }).count, rows)
      t.wait()
      t.equal(world.count("rock"), before + 1)
      t.equal(e.motion.vx, 4)
      t.equal(e.motion.vy, 6)
      t.is_true(e:destroy())
      t.is_false(e:alive())
      t.wait()
      t.is_false(e:alive())
    end,
    ["spawn_many in a system takes effect when the system ends"] = function(t)
      local es = world.spawn_many("rock", 3, function(q) q.transform.x[2] = 42 end)
      t.equal(#es, 3)
      t.wait()
      t.equal(es[2].transform.x, 42)
      for _, e in ipairs(es) do
        e:destroy()
      end
      t.wait()
      t.equal(world.count("rock"), 0)
    end,
    ["access to a destroyed entity reports when and by which system it was destroyed"] = function(t)
      local e = world.spawn("rock")
      t.wait()
      e:destroy()
      local died = world.tick
      t.wait()
      t.fails(function() return e.motion.vx end, "dead", "tick " .. died, "system suite")
    end,
  },
}

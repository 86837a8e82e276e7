return {
  outside = {
    ["with, without, any and optional select the matching entities"] = function(t)
      local a = world.spawn("rock")
      local b = world.spawn("rock", { frozen = {} })
      local c = world.spawn("rock", { burning = {} })
      t.equal(world.query { "motion" }.count, 3)
      t.equal(world.query { "motion", without = { "frozen" } }.count, 2)
      t.equal(world.query { "motion", any = { "frozen", "burning" } }.count, 2)
      local q = world.query { "motion", optional = { "burning" } }
      t.equal(q.count, 3)
      local with = 0
      for i = 1, q.count do
        if q.has.burning[i] then
          with = with + 1
          t.equal(q.entity[i], c)
          t.equal(q.burning.heat[i], 1)
        else
          t.fails(function() return q.burning.heat[i] end, "burning")
        end
      end
      t.equal(with, 1)
      for _, e in ipairs { a, b, c } do
        e:destroy()
      end
    end,
    ["an index out of range is an error that names the column"] = function(t)
      local e = world.spawn("rock")
      local q = world.query { "motion" }
      t.fails(function() return q.motion.vx[0] end, "motion.vx", "0")
      t.fails(function() return q.motion.vx[2] end, "motion.vx", "2", "expected 1 to 1")
      for _, i in ipairs { 2, 0, -1, 0.5, 1e300, 0 / 0, "first" } do
        t.fails(function() q.motion.vx[i] = 7 end, "motion.vx")
      end
      t.equal(q.motion.vx[1], 20)
      t.fails(function() return q.motion.vx[-1e9] end, "motion.vx")
      t.fails(function() return q.motion.vx[0 / 0] end, "motion.vx")
      t.fails(function() return q.motion.vx.y end, "motion.vx")
      t.fails(function() return q.motion.vz end, "vz", "vx")
      t.fails(function() return q.health end, "health", "motion")
      e:destroy()
    end,
    ["a column function called with a different column or value is an error"] = function(t)
      local e, f = world.spawn("rock"), world.spawn("rock", { burning = {} })
      local q = world.query { "motion", optional = { "burning" } }
      local mapped, direct = q.burning.heat.raw, q.entity.raw
      t.equal(mapped(q.burning.heat, q.entity[1] == f and 1 or 2), 1)
      for _, wrong in ipairs { q.entity, q.motion.vx, q.has.burning, q.burning, {}, "text", 1, e, print } do
        t.fails(function() return mapped(wrong, 1) end, "with a colon")
      end
      t.fails(function() return direct(q.burning.heat, 1) end, "with a colon")
      t.fails(function() return direct(nil, 1) end, "with a colon")
      e:destroy()
      f:destroy()
    end,
    ["columns obtained before a structural change are out of range after it"] = function(t)
      local e = world.spawn("rock")
      local vx = world.query { "motion" }.motion.vx
      t.equal(vx[1], 20)
      local other = world.spawn("rock")
      t.fails(function() return vx[1] end, "out of range")
      e:destroy()
      other:destroy()
    end,
    ["an unknown component in a query is an error that names it"] = function(t)
      t.fails(function() world.query { "motoin" } end, "motoin")
      t.fails(function() world.query {} end, "empty")
      t.fails(function() world.query { "score" } end, "single")
      t.fails(function() world.query { "motion", with_out = { "frozen" } } end, "with_out")
    end,
    ["the same components give the same query in any order"] = function(t)
      t.is_true(world.query { "motion", "health" } == world.query { "health", "motion" })
      t.is_true(world.query { "motion", without = "frozen" } == world.query { "motion", without = { "frozen" } })
    end,
    ["an invalid query is an error that states the reason"] = function(t)
      t.fails(function() world.query { without = { "motion" } } end, "motion")
      t.fails(function() world.query { optional = { "motion" } } end, "motion")
      t.fails(function() world.query { "gun", "nozzle" } end, "gun", "nozzle")
      t.fails(function() world.query(5) end, "list of component names")
      t.fails(function() world.query { 5 } end, "must be strings")
      t.fails(function() world.each() end, "empty")
      t.fails(function() world.each("motion", 5) end, "must be strings")
      local all = { "motion", "health", "target", "label", "mood", "frozen", "burning", "probe", "shield", "marker",
        "tuned", "every_type", "transform", "shape", "body", "text", "camera" }
      t.fails(function() world.query(all) end, "16")
    end,
    ["nested loops of world.each iterate independently, even after a loop was abandoned"] = function(t)
      local rocks, seen = world.spawn_many("rock", 40), 0
      for a in world.each("motion", "health") do
        for b in world.each("motion") do
          if b ~= a then break end
        end
        for b in world.each("health", "motion") do
          if b == a then break end
          t.is_true(b:alive())
        end
        seen = seen + (a == rocks[seen + 1] and 1 or 0)
        if seen == 20 then rocks[21]:destroy() break end
      end
      t.equal(seen, 20)
      local following, count = world.each("motion", "health"), 0
      while following() do count = count + 1 end
      t.equal(count, 39)
      local other = world.each("motion")
      t.equal(following(), nil)
      t.is_true(other() == rocks[1])
      t.equal(following(), nil)
      for _, rock in ipairs(rocks) do rock:destroy() end
    end,
    ["a finished loop of world.each stays finished while later loops run"] = function(t)
      local rocks = world.spawn_many("rock", 3)
      local next_rock, loop = world.each("motion")
      local counts = { 0, 0, 0 }
      for _ in next_rock, loop do counts[1] = counts[1] + 1 end
      for _ in world.each("motion") do
        for _ in next_rock, loop do counts[2] = counts[2] + 1 end
        counts[3] = counts[3] + 1
      end
      t.equal(counts[1], 3)
      t.equal(counts[2], 0)
      t.equal(counts[3], 3)
      for _, rock in ipairs(rocks) do rock:destroy() end
    end,
    ["world.each iterates in any number of loops over any number of entities"] = function(t)
      local rocks = world.spawn_many("rock", 1500)
      local iterators = {}
      for i = 1, 70 do
        iterators[i] = world.each("motion")
        for _ = 1, i do iterators[i]() end
      end
      -- garbage of the size of the iterators' arrays, which overwrites an array that was freed too early
      for i = 1, 20000 do t.is_true(#(("x"):rep(5800) .. i) > 5800) end
      for i = 1, 70 do t.equal(iterators[i](), rocks[i + 1]) end
      for i = 501, 1500 do rocks[i]:destroy() end
      local seen = 0
      for e in world.each("health", "motion") do
        seen = seen + 1
        if e == rocks[1] then
          for i = 2, 400 do rocks[i]:destroy() end
          rocks[500]:destroy()
        end
      end
      t.equal(seen, 100)
      t.is_true(iterators[70]() == rocks[401] and iterators[3]() == rocks[401])
      for i = 1, 499 do rocks[i]:destroy() end
    end,
    ["a query that was found before is not confused with a query that has more keys"] = function(t)
      local names = { "motion", "health", "transform", "body" }
      local plain = world.query(names)
      names.without = { "frozen" }
      t.is_true(world.query(names) ~= plain)
      names.without, names[5] = nil, "shape"
      t.is_true(world.query(names) ~= plain)
      names[5], names[2] = nil, nil -- the list ends before the hole
      t.is_true(world.query(names) == world.query { "motion" })
      t.is_true(world.query { "motion", nil, "health" } == world.query { "motion" })
      local counts = { 0, 0 }
      for _ in world.each("motion") do counts[1] = counts[1] + 1 end
      for _ in world.each("motion", "health") do counts[2] = counts[2] - 1 end -- stores the query
      for _ in world.each("motion", nil, "health") do counts[2] = counts[2] + 1 end
      for _ in world.each("motion", "health") do counts[2] = counts[2] + 1 end
      t.equal(counts[2], counts[1])
      t.is_true(world.query { "motion", "health", "transform", "body" } == plain)
      t.fails(function() world.query { "motion", 0 } end, "must be strings")
      t.fails(function() world.each("motion", "health", "transform", "body", "motoin") end, "motoin")
      t.fails(function() world.each { "motion", with_out = { "frozen" } } end, "with_out")
    end,
    ["a contradictory query matches nothing"] = function(t)
      local e = world.spawn("rock")
      local none = world.query { "motion", without = { "motion" } }
      t.equal(none.count, 0)
      t.fails(function() return none.motion.vx[1] end, "out of range")
      t.equal(world.query { "motion", "motion" }.count, 1)
      e:destroy()
    end,
    ["columns and views cannot be replaced, and entity columns cannot be written"] = function(t)
      local e = world.spawn("rock")
      local q = world.query { "motion" }
      t.fails(function() q.motion.vx = 5 end, "motion.vx[i]")
      t.fails(function() q.motion = 5 end, "q.motion")
      t.fails(function() q.count = 5 end, "q.count")
      t.fails(function() q.mine = 5 end, "q.mine")
      t.fails(function() q.entity[1] = e end, "entity")
      t.fails(function() world.lookup("motion").vx = 5 end, "motion.vx[id]")
      t.equal(q.count, 1)
      t.equal(q.motion.vx[1], 20)
      e:destroy()
    end,
    ["rows are in the order in which entities started to match"] = function(t)
      local es = world.spawn_many("rock", 20)
      local q = world.query { "motion" }
      for i = 1, q.count do
        t.is_true(q.entity[i] == es[i])
      end
      es[3]:destroy()
      q = world.query { "motion" }
      t.is_true(q.entity[3] == es[20] and q.entity[4] == es[4])
      for _, e in ipairs(es) do
        e:destroy()
      end
    end,
    ["a query over a `many` component has one row per instance"] = function(t)
      local e = world.spawn("tank")
      local q = world.query { "gun", "health" }
      t.equal(q.count, 2)
      t.equal(q.entity[1], e)
      t.equal(q.entity[2], e)
      t.equal(q.gun.heat[1] + q.gun.heat[2], 1)
      e:destroy()
    end,
    ["columns of a query match their entities after structural changes"] = function(t)
      local es = {}
      for i = 1, 50 do
        es[i] = world.spawn("rock", { motion = { vx = i } })
        if i % 3 == 0 then
          es[i]:add("burning", { heat = i })
        end
      end
      for i = 1, 50, 7 do
        es[i]:destroy()
      end
      for i = 3, 50, 6 do
        if es[i]:alive() then
          es[i]:remove("burning")
        end
      end
      local q, count = world.query { "motion", "burning" }, 0
      for i = 1, q.count do
        t.equal(q.motion.vx[i], q.burning.heat[i])
        t.equal(q.entity[i].motion.vx, q.motion.vx[i])
        count = count + 1
      end
      t.is_true(count > 5)
      for _, e in ipairs(es) do
        e:destroy()
      end
    end,
  },
}

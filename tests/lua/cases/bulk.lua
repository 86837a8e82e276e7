local MANY = 5000 -- long enough for a list that is filled lazily

local function spawn_marked(count)
  for i = 1, count do
    world.spawn(nil, { label = "text " .. i, marker = {} })
  end
end

return {
  outside = {
    ["query:destroy_all destroys every matching entity"] = function(t)
      local others = world.spawn_many("rock", 3)
      world.spawn_many("short", 100)
      t.equal(world.query { "label", "frozen" }:destroy_all(), 100)
      t.equal(world.count("short"), 0)
      t.equal(world.query { "label", "frozen" }:destroy_all(), 0)
      t.is_true(others[2]:alive())
      t.equal(world.query { "motion" }:destroy_all(), 3)
    end,
    ["query:add adds or updates a component of every matching entity, and query:remove removes it"] = function(t)
      local es = world.spawn_many("rock", 20)
      es[7]:add("tuned", { speed = 9, aim = { 7, 8, 9 } })
      world.query { "motion" }:add("tuned", { speed = 4, plane = { 1, 2 } })
      t.equal(world.count("tuned"), 20)
      t.equal(es[1].tuned.speed, 4)
      t.equal(es[1].tuned.aim.x, 1) -- the added component has the default
      t.equal(es[1].tuned.plane.y, 2)
      t.equal(es[7].tuned.speed, 4)
      t.equal(es[7].tuned.aim.x, 7) -- the existing value is kept, because none was given
      world.query { "motion", "tuned" }:remove("tuned")
      t.equal(world.count("tuned"), 0)
      world.query { "motion" }:add("frozen")
      t.equal(world.query { "motion", without = { "frozen" } }.count, 0)
      world.query { "motion" }:remove("motion")
      t.equal(world.query { "motion" }.count, 0)
      t.equal(world.query { "frozen" }:destroy_all(), 20)
    end,
    ["an invalid bulk change is an error and changes nothing"] = function(t)
      local es = world.spawn_many("rock", 3)
      t.fails(function() world.query { "motion" }:add("helth") end, "helth")
      t.fails(function() world.query { "motion" }:add("score") end, "score", "single")
      t.fails(function() world.query { "motion" }:add("tuned", { sped = 1 }) end, "sped", "speed")
      t.fails(function() world.query { "motion" }:add("tuned", { speed = "fast" }) end, "speed", "number")
      t.fails(function() world.query { "motion" }:remove("score") end, "score", "single")
      t.fails(function() return world.query { "motion" }.destroy_some end, "destroy_some")
      t.equal(world.count("tuned"), 0)
      for _, e in ipairs(es) do
        e:destroy()
      end
    end,
    ["columns obtained before a bulk change are out of range after it"] = function(t)
      world.spawn_many("rock", 3)
      local q = world.query { "motion" }
      local vx = q.motion.vx
      t.equal(vx[3], 20)
      q:add("frozen")
      t.fails(function() return vx[1] end, "out of range")
      t.equal(world.query { "motion" }:destroy_all(), 3)
    end,
    ["a long list from spawn_many can be indexed, iterated and changed like a table"] = function(t)
      local function spawn()
        return world.spawn_many("short", MANY)
      end
      local es = spawn()
      for _ = 1, 200 do
        t.equal(#es, MANY)
      end
      t.is_true(es[1]:alive() and es[MANY]:alive() and es[1] ~= es[2])
      t.equal(es[0], nil)
      t.equal(es[MANY + 1], nil)
      local count = 0
      for i, e in ipairs(spawn()) do
        count = count + (e:alive() and i > 0 and 1 or 0)
      end
      t.equal(count, MANY)
      count = 0
      for _, e in pairs(spawn()) do
        count = count + (e:alive() and 1 or 0)
      end
      t.equal(count, MANY)
      es = spawn()
      table.insert(es, es[1])
      t.equal(#es, MANY + 1)
      es = spawn()
      es[#es + 1] = shoal.none
      t.equal(#es, MANY + 1)
      t.is_true(select(3, unpack(spawn(), 1, 3)):alive())
      t.is_true(rawget(spawn(), 77):alive())
      t.is_true(next(spawn()) == 1)
      t.is_true(table.remove(spawn()):alive())
      t.is_true(table.remove(spawn(), 2):alive())
      es = spawn()
      es[3] = nil
      t.equal(es[3], nil)
      t.is_true(es[4]:alive())
      world.query { "label" }:destroy_all()
    end,
    ["spawn_many can fill a long list of entities with a function"] = function(t)
      local filled = world.spawn_many("short", MANY, function(q)
        t.equal(q.count, MANY)
        for i = 1, q.count do
          q.burning.heat[i] = i
        end
      end)
      t.equal(filled[4321].burning.heat, 4321)
      t.equal(filled[4321].label.text, "hello") -- the assemblage's value, although its column was not accessed
      world.query { "label" }:destroy_all()
    end,
    ["long lists from spawn_many are independent of each other"] = function(t)
      local first = world.spawn_many("short", MANY)
      local second
      local third = world.spawn_many("short", MANY, function()
        second = world.spawn_many("short", MANY)
      end)
      t.is_true(first[9] ~= second[9] and second[9] ~= third[9] and first[9] ~= third[9])
      t.is_true(first[9]:alive() and second[9]:alive() and third[9]:alive())
      world.query { "label" }:destroy_all()
      local again = world.spawn_many("short", MANY)
      t.is_false(third[MANY]:alive())
      t.is_true(again[MANY]:alive())
      world.query { "label" }:destroy_all()
    end,
  },
  inside = {
    ["in a system, a bulk change applies to the entities that match at the time of the call"] = function(t)
      spawn_marked(10)
      world.single.trace.text = "bulk add"
      t.wait(2)
      t.equal(world.single.trace.count, 10)
      t.equal(world.count("burning"), 10)
      t.equal(world.query { "label", "marker" }.count, 11)
      t.equal(world.query { "label", "burning" }.burning.heat[10], 4)
      world.single.trace.text = "bulk remove"
      t.wait(2)
      t.equal(world.count("burning"), 0)
      world.single.trace.text = "bulk destroy"
      t.wait(2)
      t.equal(world.single.trace.count, 11)
      t.equal(world.query { "label", "marker" }.count, 0)
    end,
    ["commands on 40 entities in one run are applied in order"] = function(t)
      spawn_marked(40)
      t.wait()
      world.single.trace.text = "bulk alike"
      t.wait(2)
      t.equal(world.single.trace.text, "")
      t.equal(world.query { "label", "marker" }.count, 20)
      t.equal(world.count("burning"), 1)
      t.equal(world.query { "label", "frozen" }.count, 19)
      world.single.trace.text = "bulk deaths"
      t.wait(2)
      t.equal(world.single.trace.text, "")
      t.equal(world.count("marker"), 0)
    end,
  },
}

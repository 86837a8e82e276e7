-- Changes to the world during iteration must have defined results and never crash.
local seen = require("lib.seen")

local function spawn(count)
  return world.spawn_many("prober", count, function(q)
    for i = 1, q.count do
      q.probe.n[i] = i
    end
  end)
end

local function destroy_probes(t)
  for e in world.each("probe") do
    e:destroy()
  end
  t.wait(2)
  t.equal(world.count("probe"), 0)
  seen.take()
end

-- Runs `change` once in a system over the probers' columns, and rethrows its error.
local function run_during_iteration(t, change)
  local good, problem = true, nil
  seen.want.change = function(q, dt)
    good, problem = pcall(change, q, dt)
  end
  t.wait()
  t.equal(seen.want.change, nil)
  if not good then
    error(problem, 0)
  end
end

return {
  inside = {
    ["destroying every entity while iterating over the rows is allowed"] = function(t)
      spawn(1000)
      t.wait()
      run_during_iteration(t, function(q)
        for i = 1, q.count do
          t.is_true(q.entity[i]:destroy())
          q.transform.x[i] = i
          t.is_false(q.entity[i]:destroy()) -- the entity is already destroyed for this system
        end
        for e in world.each("probe") do
          e:destroy()
        end
      end)
      t.equal(world.count("probe"), 0)
      destroy_probes(t)
    end,
    ["destroying every entity from an `each` function is allowed"] = function(t)
      spawn(100)
      t.wait()
      seen.want.change_each = function(e)
        for other in world.each("probe") do
          other:destroy()
        end
        e.probe.n = e.probe.n + 1
      end
      t.wait()
      seen.want.change_each = nil
      t.equal(world.count("probe"), 0)
      destroy_probes(t)
    end,
    ["components of the entity of an `each` function can be removed and added again"] = function(t)
      local es = spawn(100)
      t.wait()
      run_during_iteration(t, function(q)
        for i = 1, q.count do
          local e = q.entity[i]
          e:remove("probe")
          e:add("burning", { heat = i })
          e:remove("burning")
          e:add("burning")
          e:add("probe", { n = -q.probe.n[i] })
          q.probe.n[i] = 1000
        end
      end)
      for _, e in ipairs(es) do
        t.equal(e.burning.heat, 1)
        t.is_true(e.probe.n < 0) -- the entity's values are now in the new row
      end
      destroy_probes(t)
    end,
    ["an each function that makes structural changes is called once per entity"] = function(t)
      local es = spawn(50)
      t.wait()
      local count = 0
      seen.want.change_each = function(e)
        count = count + 1
        e:remove("transform")
        e:add("motion")
        world.spawn("prober", { probe = { n = 99 } })
      end
      t.wait()
      seen.want.change_each = nil
      t.equal(count, 50)
      t.is_true(es[1]:has("motion") and not es[1]:has("transform"))
      t.equal(world.count("probe"), 100)
      destroy_probes(t)
    end,
    ["nested loops over the same query visit every row"] = function(t)
      spawn(20)
      t.wait()
      local rows = 0
      seen.want.change_each = function(e)
        local inner = world.query { "probe", "transform" }
        local again = world.query { "transform", "probe" }
        t.is_true(inner == again)
        for i = 1, inner.count do
          inner.probe.seen[i] = inner.probe.seen[i] + 1
          rows = rows + 1
        end
        for _ in world.each("probe") do
          for _ in world.each("probe", "transform") do
            rows = rows + 1
          end
        end
      end
      t.wait()
      seen.want.change_each = nil
      t.equal(rows, 20 * 20 + 20 * 20 * 20)
      destroy_probes(t)
    end,
    ["columns and views that a system keeps are out of range in later ticks"] = function(t)
      local es = spawn(10)
      t.wait()
      local kept = {}
      run_during_iteration(t, function(q)
        kept = { q = q, x = q.transform.x, entity = q.entity, probe = q.probe, e = q.entity[3],
          other = world.query { "probe" } }
      end)
      t.equal(kept.q.count, 0)
      t.equal(kept.other.count, 0)
      t.fails(function() return kept.x[1] end, "transform.x", "out of range")
      t.fails(function() kept.x[1] = 5 end, "transform.x", "out of range")
      t.fails(function() return kept.entity[1] end, "out of range")
      t.fails(function() return kept.probe.n[1] end, "out of range")
      -- The rows are no longer contiguous: access now goes through a row map, and a kept column must not use the old
      -- direct access.
      es[1]:destroy()
      es[2]:remove("probe")
      t.wait()
      es[2]:add("probe")
      t.wait()
      run_during_iteration(t, function(q)
        t.equal(q.count, 9)
        for i = 1, 10 do
          pcall(function() return kept.x[i] end)
          pcall(function() kept.x[i] = 1 end)
        end
        kept.mapped = q.transform.x
      end)
      for e in world.each("probe") do
        e:destroy()
      end
      t.wait()
      spawn(3) -- makes the rows contiguous again
      t.wait()
      run_during_iteration(t, function(q)
        t.equal(q.count, 3)
        q.transform.x[1], q.transform.x[2] = 41, 42
        t.equal(kept.mapped[2], 42)
        t.equal(kept.x[1], 41)
      end)
      t.is_false(kept.e:alive())
      destroy_probes(t)
    end,
    ["columns used by a coroutine are out of range when the coroutine resumes in a different tick"] = function(t)
      spawn(5)
      t.wait()
      local thread
      run_during_iteration(t, function()
        thread = coroutine.create(function()
          local q = world.query { "probe", "transform" }
          local x = q.transform.x
          t.equal(x[5], 0)
          coroutine.yield()
          t.equal(q.count, 0)
          t.fails(function() return x[5] end, "out of range")
          world.emit("hit", setmetatable({}, { __index = function() coroutine.yield() end }))
          return world.spawn_many("rock", 3)
        end)
        t.is_true(coroutine.resume(thread))
      end)
      t.wait()
      local good, problem = coroutine.resume(thread)
      for _ = 1, 20 do
        if coroutine.status(thread) ~= "dead" then
          t.wait()
          good, problem = coroutine.resume(thread)
        end
      end
      t.equal(coroutine.status(thread), "dead")
      if not good then
        error(problem, 0)
      end
      t.wait()
      for e in world.each("motion") do
        e:destroy()
      end
      destroy_probes(t)
    end,
    ["enter and leave may destroy entities, and leave may spawn"] = function(t)
      seen.want.kill_on_enter = true
      local e = world.spawn(nil, { probe = { n = 1 }, marker = {} })
      t.wait(2)
      t.is_false(e:alive())
      seen.want.kill_on_enter = nil
      t.wait()
      seen.want.destroy_on_leave, seen.want.spawn_on_leave = true, true
      local a, b = world.spawn(nil, { probe = {}, marker = {} }), world.spawn(nil, { probe = {}, marker = {} })
      t.wait(2)
      a:remove("marker")
      b:destroy()
      t.wait(2)
      t.is_false(a:alive())
      t.is_false(b:alive())
      seen.want.destroy_on_leave, seen.want.spawn_on_leave = nil, nil
      local left = 0
      for label in world.each("label") do
        left = left + (label.label.text == "left" and 1 or 0)
        label:destroy()
      end
      t.equal(left, 2)
      destroy_probes(t)
    end,
    ["entities can be spawned, changed and destroyed in one run"] = function(t)
      run_during_iteration(t, function() end)
      for round = 1, 20 do
        local es = {}
        for i = 1, 50 do
          es[i] = world.spawn(i % 3 == 0 and "tank" or "prober", { label = { text = "l" .. i } })
          if i % 2 == 0 then
            es[i]:destroy()
          end
          if i % 5 == 0 and es[i - 1]:alive() then
            es[i - 1]:add("gun", { heat = i }, "extra" .. round)
          end
          if i % 6 == 3 then
            es[i]:enter("dying")
            es[i]:enter("alive")
          end
        end
        local block = world.spawn_many("prober", 10)
        block[3]:destroy()
        block[4]:add("burning", { heat = 6 })
        t.wait()
        t.is_false(block[3]:alive())
        t.equal(block[4].burning.heat, 6)
        for i, e in ipairs(es) do
          t.equal(e:alive(), i % 2 ~= 0)
          if e:alive() then
            t.equal(e.label.text, "l" .. i)
            e:destroy()
          end
        end
        for _, e in ipairs(block) do
          e:destroy()
        end
      end
      t.wait()
      destroy_probes(t)
      t.equal(world.count("gun"), 0)
    end,
    ["a hierarchy can be destroyed in one run, from its leaf or its root"] = function(t)
      local tanks = world.spawn_many("tank", 100)
      t.wait()
      for i, tank in ipairs(tanks) do
        local turret = tank:children()[1]
        if i % 3 == 0 then
          turret:destroy()
        elseif i % 3 == 1 then
          tank:destroy()
          turret:destroy()
        else
          turret:destroy()
          tank:destroy()
        end
      end
      t.wait()
      for i, tank in ipairs(tanks) do
        t.equal(tank:alive(), i % 3 == 0)
        if tank:alive() then
          t.equal(#tank:children(), 0)
          tank:destroy()
        end
      end
      t.wait()
      t.equal(world.count("tank"), 0)
    end,
    ["repeated caught errors leave no query open"] = function(t)
      spawn(3)
      t.wait()
      run_during_iteration(t, function(q)
        for _ = 1, 100 do
          t.fails(function() return q.transform.x[99] end, "out of range")
          t.fails(function() world.spawn("boulder") end, "boulder")
          t.fails(function() world.spawn_many("prober", 5, function(many) many.probe.n[6] = 1 end) end, "out of range")
          t.fails(function() world.query { "probe", "nothing" } end, "nothing")
          t.fails(function()
            for _ in world.each("probe") do
              error("stop")
            end
          end, "stop")
        end
      end)
      t.equal(world.count("probe"), 3)
      destroy_probes(t)
    end,
  },
}

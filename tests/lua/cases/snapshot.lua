-- Snapshots of the world: world.snapshot, world.restore and world.compare.
local seen = require("lib.seen")

local function spawn_prober(n)
  return world.spawn("prober", { probe = { n = n } })
end

return {
  outside = {
    ["outside systems, a restore takes effect immediately and restores the hash"] = function(t)
      local e = spawn_prober(1)
      local s, hash = world.snapshot(), world.hash()
      e.probe.n = 2
      local other = spawn_prober(3)
      t.is_true(world.hash() ~= hash)
      world.restore(s)
      t.equal(world.hash(), hash)
      t.equal(e.probe.n, 1)
      t.is_false(other:alive())
      t.equal(world.count("prober"), 1)
      e:destroy()
    end,
    ["a snapshot can be restored several times"] = function(t)
      local e = spawn_prober(1)
      local s = world.snapshot()
      for i = 2, 5 do
        e.probe.n = i
        world.restore(s)
        t.equal(e.probe.n, 1)
      end
      e:destroy()
      world.restore(s)
      t.is_true(e:alive())
      e:destroy()
    end,
    ["strings are restored even if their ids have been reused"] = function(t)
      local e = world.spawn(nil, { label = { text = "before the snapshot" } })
      local s = world.snapshot()
      for i = 1, 50 do
        e.label.text = "after it " .. i
      end
      world.restore(s)
      t.equal(e.label.text, "before the snapshot")
      local other = world.spawn(nil, { label = { text = "another time" } })
      e.label.text = "after it 50"
      t.equal(other.label.text, "another time")
      t.equal(e.label.text, "after it 50")
      other:destroy()
      e:destroy()
    end,
    ["named instances, states, parents and singletons are restored"] = function(t)
      local parent = world.spawn("rock")
      local e = world.spawn("rock", { transform = { parent = parent } })
      e:add("gun", { heat = 1 }, "left")
      e:add("gun", { heat = 2 }, "right")
      world.single.score.value = 7
      local s = world.snapshot()
      e:remove("gun", "left")
      e:add("gun", { heat = 3 }, "rear")
      parent:destroy()
      world.single.score.value = 8
      t.is_false(e:alive())
      world.restore(s)
      t.equal(e.gun.left.heat, 1)
      t.equal(e.gun.right.heat, 2)
      t.fails(function() return e.gun.rear.heat end, "rear")
      t.equal(e:parent(), parent)
      t.equal(parent:children()[1], e)
      t.equal(world.single.score.value, 7)
      world.single.score.value = 0
      parent:destroy()
      t.is_false(e:alive())
    end,
    ["the random number state is restored"] = function(t)
      local s = world.snapshot()
      local a, b = world.random(), world.random(1000)
      world.restore(s)
      t.equal(world.random(), a)
      t.equal(world.random(1000), b)
    end,
    ["a snapshot prints its tick and size and has no fields"] = function(t)
      local s = world.snapshot()
      t.is_true(tostring(s):find("^snapshot%(tick %d+, [%d.]+ KB%)$") ~= nil)
      t.equal(getmetatable(s), false)
      t.fails(function() return s.bytes end, "index")
    end,
    ["world.compare compares two states field by field"] = function(t)
      local e, dies = spawn_prober(1), spawn_prober(9)
      e:add("label", { text = "one" })
      local s = world.snapshot()
      t.equal(world.compare(s).total, 0)
      e.probe.n = 2
      e.label.text = "two"
      e:add("gun", { heat = 1 }, "left")
      dies:destroy()
      local list = world.compare(s)
      t.equal(list.total >= 4, true)
      local found = {}
      for _, d in ipairs(list) do
        if d.entity == e then
          found[d.component .. "." .. (d.instance or d.field)] = d
        elseif d.entity == dies and not d.component then
          found.dies = d
        end
      end
      t.equal(found["probe.n"].a, 1)
      t.equal(found["probe.n"].b, 2)
      t.equal(found["label.text"].a, "one")
      t.equal(found["label.text"].b, "two")
      t.equal(found["gun.left"].a, nil)
      t.equal(found["gun.left"].b, "present")
      t.equal(found.dies.a, "present")
      t.equal(found.dies.b, nil)
      t.equal(#world.compare(s, nil, 2), 2)
      t.equal(world.compare(s, s).total, 0)
      t.fails(function() world.compare(1) end, "world.compare", "got 1")
      t.fails(function() world.compare(s, s, 0) end, "1 to 1000")
      e:destroy()
    end,
    ["invalid arguments of world.past, world.restore and world.ghosts are errors"] = function(t)
      local line = world.timeline()
      t.equal(line.now, world.tick)
      t.equal(line.again, false)
      t.equal(world.past(world.tick + 1000), nil)
      t.equal(world.past(3, "old"), nil)
      t.fails(function() world.past("then") end, "expected a tick")
      t.fails(function() world.past(3, "new") end, "old")
      t.fails(function() world.restore(3, { again = true }) end, "no option again")
      t.fails(function() world.restore(world.snapshot(), { replay = true }) end, "replay requires a tick")
      t.fails(function() world.restore(world.tick + 1) end, "an integer from 0 to")
      t.fails(function() world.restore(0.5) end, "an integer from 0 to")
      t.fails(function() world.restore("then") end, "or a tick, got")
      t.fails(function() world.ghosts(3) end, "world.ghosts")
      t.fails(function() world.ghosts("rock", 1e6) end, "3600")
      t.fails(function() world.ghosts({ "no_such_component" }) end, "no_such_component")
      local e = spawn_prober(1)
      world.ghosts(e, 10)
      world.ghosts({ e, e }, 10)
      t.fails(function() world.ghosts({ e, 7 }) end, "element 2")
      world.ghosts({ "probe" }, 10)
      world.ghosts()
      e:destroy()
    end,
    ["world.restore rejects values that are neither snapshots nor ticks"] = function(t)
      t.fails(function() world.restore() end, "expected a snapshot", "nil")
      t.fails(function() world.restore {} end, "expected a snapshot", "table")
      t.fails(function() world.restore(shoal.none) end, "expected a snapshot")
    end,
    ["a snapshot cannot be taken while spawn_many fills its columns"] = function(t)
      t.fails(function()
        world.spawn_many("prober", 2, function() world.snapshot() end)
      end, "filled")
      t.equal(world.count("prober"), 0)
    end,
  },
  inside = {
    ["in a system, a restore takes effect at the end of the tick"] = function(t)
      local e = world.spawn(nil, { health = { hp = 1 } })
      t.wait()
      local s, tick = world.snapshot(), world.tick
      t.wait(3)
      e.health.hp = 99
      world.restore(s)
      t.equal(e.health.hp, 99)
      t.equal(world.tick, tick + 3)
      t.wait()
      t.equal(e.health.hp, 1)
      t.equal(world.tick, tick)
      e:destroy()
      t.wait()
    end,
    ["several runs from one snapshot give the same hashes"] = function(t)
      local list = world.spawn_many("prober", 20, function(q)
        for i = 1, q.count do
          q.probe.n[i] = i
        end
      end)
      t.wait()
      local s, hashes = world.snapshot(), {}
      for i = 1, 3 do
        world.restore(s)
        t.wait(2)
        for k = 1, 10 do
          list[k].probe.n = world.random(1000)
          list[k + 10]:destroy()
          world.spawn("prober", { probe = { n = world.random(10) } })
          t.wait()
        end
        hashes[i] = world.hash()
      end
      t.equal(hashes[2], hashes[1])
      t.equal(hashes[3], hashes[1])
      for e in world.each("probe") do
        e:destroy()
      end
      t.wait(2)
      seen.take()
    end,
    ["a behaviour's fields are restored"] = function(t)
      local e = world.spawn("rock", { guard = {}, probe = {} })
      t.wait(3)
      local s, timer = world.snapshot(), e.guard.timer
      t.wait(5)
      t.is_true(e.guard.timer > timer)
      e:destroy()
      t.wait(2)
      seen.take()
      world.restore(s)
      t.wait()
      t.is_true(e:alive())
      t.is_true(e.guard.timer <= timer + 1)
      local before = e.guard.timer
      t.wait(3)
      t.equal(e.guard.timer, before + 3)
      e:destroy()
      t.wait(2)
      t.equal(seen.take(), "destroy false")
    end,
    ["after a restore, `leave` does not run for lost entities, and `enter` runs for new entities"] = function(t)
      seen.take()
      local s = world.snapshot()
      local e = world.spawn("prober", { probe = { n = 5 }, marker = {} })
      t.wait(2)
      local first = seen.take("enter")
      t.is_true(first:find("^enter") ~= nil)
      world.restore(s)
      t.wait()
      t.is_false(e:alive())
      t.equal(seen.take("leave"), "")
      world.spawn("prober", { probe = { n = 5 }, marker = {} })
      t.wait(2)
      t.equal(seen.take("enter"), first) -- the same lines as before the restore
      for other in world.each("probe") do
        other:destroy()
      end
      t.wait(2)
      seen.take()
    end,
    ["a restore in a render system is an error"] = function(t)
      local s, e = world.snapshot(), spawn_prober(1)
      t.wait(2)
      seen.want.draw = function()
        world.restore(s)
      end
      t.wait(2)
      t.is_false(seen.drawn[1])
      t.is_true(tostring(seen.drawn[2]):find("drawing") ~= nil)
      e:destroy()
      t.wait(2)
      seen.take()
    end,
  },
}

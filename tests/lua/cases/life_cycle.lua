-- The life cycle of entities and components as described in the articles cited in the comments.
local seen = require("lib.seen")

-- Calls `check` for the entity of each `hit` event, in a handler of another system. Returns a function that stops these
-- calls and raises the first error, or an error if the number of events is not `expected`.
local function check_hits(t, check)
  local calls, problem = 0, nil
  seen.want.on_hit = function(e)
    calls = calls + 1
    local good, message = pcall(check, e)
    problem = problem or not good and message or nil
  end
  return function(expected)
    seen.want.on_hit = nil
    seen.take()
    if problem then
      error(problem, 0)
    end
    t.equal(calls, expected)
  end
end

return {
  inside = {
    -- Source of this test (see engine/docs/sources.md): Rectangle Eater, "remove immediately".
    ["a rock hit by two bullets in one tick scores once"] = function(t)
      local rock, score = world.spawn("rock", { motion = { vx = 7 } }), 0
      t.wait()
      for _ = 1, 2 do
        if rock:alive() and rock:destroy() then
          score = score + 1
        end
      end
      t.equal(score, 1)
      t.is_false(rock:alive())
      t.is_false(world.alive(rock))
      t.is_false(rock:destroy())
      t.is_true(rock:has("motion"))
      t.equal(rock.motion.vx, 7) -- the rock's values exist until the system ends
      rock.motion.vx = 8
      t.equal(rock.motion.vx, 8)
      for e in world.each("motion") do
        t.is_false(e == rock)
      end
      t.wait()
      t.is_false(rock:alive())
      t.fails(function() return rock.motion.vx end, "is dead", "system suite")
    end,
    -- Source of this test (see engine/docs/sources.md): Bitsquid.
    ["an entity spawned and destroyed in one run is alive in between"] = function(t)
      local e = world.spawn("rock")
      t.is_true(e:alive())
      t.is_true(e:destroy())
      t.is_false(e:alive())
      t.is_false(e:destroy())
      t.wait()
      t.is_false(e:alive())
    end,
    ["destroy_all does not destroy an entity twice"] = function(t)
      local one = world.spawn("rock", { probe = {} })
      world.spawn("rock", { probe = {} })
      t.wait()
      t.is_true(one:destroy())
      local q = world.query { "probe" }
      t.equal(q:destroy_all(), 1)
      t.equal(q:destroy_all(), 0)
      t.wait()
      t.equal(world.count("probe"), 0)
    end,
    -- Source of this test (see engine/docs/sources.md): Tobias Stein, respawn.
    ["leave reads the last values of a destroyed entity"] = function(t)
      local e = world.spawn("tank", { probe = { n = 7 }, marker = {}, name = { value = "Bob" },
        transform = { x = 3.1 }, gun = { left = { heat = 2 } }, sprite = { tint = { 1, 0.5, 0.25, 1 } } })
      t.wait(3)
      local n, heat, x, green = e.probe.n, e.gun.left.heat, e.transform.x, e.sprite.tint.y
      seen.take()
      local told = 0
      seen.want.on_leave = function(gone)
        told = told + 1
        t.is_false(gone:alive())
        t.equal(gone.probe.n, n)
        t.equal(gone.gun.left.heat, heat)
        t.equal(gone.transform.x, x)
        t.equal(gone.sprite.tint.y, green)
        t.equal(gone:name(), "Bob")
        t.equal(gone:assemblage(), "tank")
        t.equal(gone:state(), "alive")
        t.is_true(gone:has("marker"))
        t.is_false(gone:has("guard"))
        t.fails(function() return gone.guard.timer end, "dead")
        t.fails(function() gone.probe.n = 1 end, "dead")
        t.fails(function() gone:add("camera") end, "dead")
        local again = world.spawn(gone:assemblage(), { name = { value = gone:name() } })
        seen.want.respawned = again
      end
      e:destroy()
      t.wait(3)
      seen.want.on_leave = nil
      t.equal(told, 1)
      t.equal(world.find("Bob"), seen.want.respawned)
      t.fails(function() return e.probe.n end, "dead") -- last values can be read only in the handler
      seen.want.respawned:destroy()
      t.wait(2)
      seen.take()
    end,
    -- Source of this test (see engine/docs/sources.md): Tobias Stein, respawn.
    ["the handler of an event reads the last values of the dead entity that the event names"] = function(t)
      local e = world.spawn("tank", { probe = { n = 7 }, name = { value = "Ann" }, transform = { x = 3 },
        gun = { left = { heat = 2 } }, sprite = { tint = { 1, 0.5, 0.25, 1 } } })
      local unnamed = world.spawn("rock")
      t.wait(3)
      local turret = e:children()[1]
      local n, x, heat = e.probe.n, e.transform.x, e.gun.left.heat
      local finish = check_hits(t, function(dead)
        t.is_false(dead:alive())
        t.equal(dead.probe.n, n)
        t.equal(dead.transform.x, x)
        t.equal(dead.gun.left.heat, heat)
        t.equal(dead.sprite.tint.y, 0.5)
        t.equal(dead:name(), "Ann")
        t.equal(dead:assemblage(), "tank")
        t.equal(dead:state(), "alive")
        t.is_true(dead:has("probe"))
        t.is_false(dead:has("guard"))
        t.fails(function() return dead.guard.timer end, "dead")
        t.fails(function() dead.probe.n = 1 end, "dead")
        t.fails(function() dead.gun.left.heat = 1 end, "last values")
        t.fails(function() dead:add("camera") end, "dead")
        t.fails(function() return turret.transform.x end, "dead") -- the event does not refer to the turret
        t.fails(function() return unnamed.motion.vx end, "dead")
      end)
      world.emit("hit", { who = e, what = "named" })
      e:destroy()
      unnamed:destroy()
      t.wait(3)
      t.fails(function() return e.probe.n end, "dead") -- last values can be read only in the handler
      finish(1)
    end,
    ["an event that names an already dead entity gives only the name and assemblage of the entity"] = function(t)
      local e = world.spawn("rock", { probe = { n = 7 }, name = { value = "Eve" } })
      t.wait(1)
      local finish = check_hits(t, function(dead)
        t.equal(dead:name(), "Eve")
        t.equal(dead:assemblage(), "rock")
        t.is_false(dead:has("probe"))
        t.fails(function() return dead.probe.n end, "dead")
      end)
      e:destroy()
      world.emit("hit", { who = e, what = "late" })
      t.wait(2)
      finish(1)
    end,
    ["leave reads the last values of a removed component and current values of its remaining components"] = function(t)
      local e = world.spawn("rock", { probe = { n = 4 }, marker = {} })
      t.wait(3)
      local was, now
      seen.want.on_leave = function(gone)
        was, now = gone.probe.n, gone.motion.vx
        t.is_true(gone:alive())
        t.is_false(gone:has("probe"))
      end
      local n = e.probe.n
      e:remove("probe")
      e.motion.vx = 99
      t.wait(3)
      seen.want.on_leave = nil
      t.equal(was, n)
      t.equal(now, 99)
      e:destroy()
      t.wait(2)
      seen.take()
    end,
    ["leave reads the values of the removed component even if it has been added again"] = function(t)
      local e = world.spawn("tank", { probe = { n = 4 }, marker = {}, gun = { left = { heat = 2 } } })
      t.wait(3)
      seen.take()
      local was, heat, n = nil, nil, e.probe.n
      local hot = e.gun.left.heat
      seen.want.on_leave = function(gone)
        was, heat = gone.probe.n, gone.gun.left.heat
        t.is_true(gone:has("probe"))
        t.fails(function() gone.probe.n = 1 end, "probe.n cannot be written in leave", "last values")
        t.fails(function() gone.gun.left.heat = 1 end, "gun.heat cannot be written in leave")
      end
      e:remove("probe")
      e:remove("gun", "left")
      e:add("probe", { n = 50 })
      e:add("gun", { heat = 9 }, "left")
      t.wait()
      t.equal(was, n)
      t.equal(heat, hot)
      t.is_true(seen.take("enter"):find("^enter 5%d$") ~= nil)
      t.is_true(e.gun.left.heat >= 9)
      seen.want.on_leave = function(gone) was = gone.probe.n end
      e:remove("marker") -- `leave` receives the current values of `probe`
      e:add("marker")
      n = e.probe.n
      t.wait()
      t.is_true(was >= n and n >= 50)
      seen.want.on_leave = nil
      e:destroy()
      t.wait(2)
      seen.take()
    end,
    -- Source of this test (see engine/docs/sources.md): Entities-Parts, interactions.
    ["behaviours receive the events about their entity, or with any = true all events, in order"] = function(t)
      local function spawn_with(behaviour, name)
        return world.spawn("rock", { [behaviour] = {}, name = { value = name } })
      end
      local ann, bob = spawn_with("ear", "ann"), spawn_with("ear", "bob")
      local crowd = spawn_with("crowd", "crowd")
      t.wait(3)
      seen.take()
      world.emit("poked", { whom = bob, by = ann, hard = 3, at = { 1, 2 } })
      world.emit("poked", { whom = bob, by = bob, hard = 4 })
      world.emit("poked", { whom = crowd, by = crowd, hard = 5 })
      world.emit("bell", { number = 8 })
      t.wait(2)
      t.equal(seen.take("ear"), "ear ann ann 3 1 2 | ear bob ann 3 1 2 | ear bob bob 4 0 0")
      t.equal(seen.take("crowd"), "crowd crowd bob | crowd crowd bob | crowd crowd crowd")
      t.equal(seen.take("bell"), "bell crowd 8")
      t.equal(bob.ear.heard, 2)
      bob:disable("ear")
      world.emit("poked", { whom = bob, by = ann })
      t.wait(2)
      t.equal(seen.take("ear"), "ear ann ann 0 0 0")
      bob:enable("ear")
      world.emit("poked", { whom = bob, by = shoal.none })
      bob:destroy() -- destroyed before the event is delivered
      t.wait(2)
      t.equal(seen.take("ear"), "")
      ann:destroy()
      crowd:destroy()
      t.wait(2)
      seen.take()
    end,
    -- Source of this test (see engine/docs/sources.md): Denys, IBehavior.
    ["a behaviour's draw function cannot change the world and is also called in a paused game"] = function(t)
      local e = world.spawn("rock", { painter = {} })
      t.wait(3)
      local painted = { count = 0 }
      seen.want.painted = painted
      t.wait(3)
      t.equal(painted.count, 3)
      t.near(painted.dt, 1 / 60)
      for _, what in ipairs { "state", "entity", "destroy" } do
        t.is_true(tostring(painted[what]):find("a render system", 1, true) ~= nil)
      end
      t.is_true(e:alive())
      e:disable("painter")
      t.wait(2)
      t.equal(painted.count, 3)
      e:enable("painter")
      t.wait(2)
      local updates, tick = e.painter.updates, world.tick
      painted.still, seen.want.resume_in = 0, 4
      world.pause(true)
      t.wait()
      t.equal(world.tick, tick + 1)
      t.is_true(painted.still >= 3) -- `draw` is also called during the pause
      t.equal(painted.updates, updates)
      seen.want.painted = nil
      e:destroy()
      t.wait(2)
    end,
    ["the destroy function of a behaviour can read but not write the last values"] = function(t)
      local e = world.spawn("rock", { guard = {}, probe = { n = 5 } })
      t.wait(3)
      local timer, before, was, n = e.guard.timer, e.probe.n, nil, nil
      seen.want.on_destroy = function(self)
        was, n = self.timer, self.entity.probe.n
        t.equal(self:doubled(), 2 * was)
        t.equal(self.home.x, 3)
        t.fails(function() self.timer = 1 end, "guard.timer cannot be written in destroy")
      end
      e:destroy()
      t.wait(3)
      seen.want.on_destroy = nil
      t.is_true(was >= timer)
      t.equal(n, before)
      seen.take()
    end,
  },
}

local seen = require("lib.seen")

local function spawn_guard(more)
  local overrides = more or {}
  overrides.guard = overrides.guard or {}
  return world.spawn("rock", overrides)
end

local function destroy_all(...)
  for _, e in ipairs { ... } do
    e:destroy()
  end
end

return {
  inside = {
    -- Source of this test (see engine/docs/sources.md): Entities-Parts.
    ["create, update and destroy run for the entity, and a behaviour is a component"] = function(t)
      seen.take()
      local e = spawn_guard { probe = {} }
      t.wait(2)
      t.equal(seen.take(), "create idle true")
      t.is_true(e.guard.timer >= 11)
      t.equal(e.guard.mood, "idle")
      local before = e.guard.timer
      t.wait(3)
      t.equal(e.guard.timer, before + 3)
      t.equal(e:describe().guard.mood, "idle")
      t.equal(world.count("guard"), 1)
      t.equal(world.sql("SELECT mood FROM guard")[1].mood, "idle")
      t.near(seen.guard_dt, 1 / 60)
      e:destroy()
      t.wait(2)
      t.equal(seen.take(), "destroy false")
    end,
    -- Source of this test (see engine/docs/sources.md): Entities-Parts, castHeal.
    ["a behaviour's functions can be called through its component"] = function(t)
      local e = spawn_guard { guard = { timer = 5 } }
      t.wait(2)
      local part, timer = e.guard, e.guard.timer
      t.equal(part:doubled(), 2 * timer)
      t.equal(part:advance(3, 4), e)
      t.equal(part.timer, timer + 7)
      t.equal(part.entity, e)
      t.equal(e.guard.home.y, 4)
      t.fails(function() return part.timr end, "guard has no field or function timr", "did you mean timer?")
      t.fails(function() part:advanec() end, "did you mean advance?")
      t.fails(function() return part.motion end, "did you mean self.entity.motion?")
      t.fails(function() part:remove("guard") end, "did you mean self.entity:remove(…)?")
      t.fails(function() return part.state end, "self.NAME")
      t.fails(function() part.doubled = 5 end, "doubled")
      e:destroy()
      t.wait(2)
      t.fails(function() return part:doubled() end, "dead")
      t.fails(function() return part.timer end, "dead")
      local rock = world.spawn("rock")
      t.wait()
      t.fails(function() rock.guard:doubled() end, "has no guard", "e:has(\"guard\")")
      rock:destroy()
      t.wait(2)
      seen.take()
    end,
    ["create can read the values given to world.spawn"] = function(t)
      local e = spawn_guard { guard = { timer = 5, mood = "hunt" } }
      t.equal(e.guard.timer, 5)
      t.wait(2)
      t.equal(seen.take(), "create hunt false")
      destroy_all(e)
      t.wait(2)
      seen.take()
    end,
    ["each entity has its own behaviour fields"] = function(t)
      local a, b = spawn_guard(), spawn_guard()
      t.wait(3)
      a.guard.timer = 1000
      t.wait()
      t.equal(a.guard.timer, 1001)
      t.is_true(b.guard.timer < 1000)
      destroy_all(a, b)
      t.wait(2)
      seen.take()
    end,
    ["a disabled behaviour is not updated, but its fields and functions can be used"] = function(t)
      local e = spawn_guard()
      t.wait(3)
      e:disable("guard")
      t.wait()
      local timer = e.guard.timer
      e:send("struck", { power = 1 })
      t.wait(3)
      t.equal(e.guard.timer, timer)
      t.equal(e.guard:doubled(), 2 * timer)
      t.equal(e.guard.mood, "idle")
      t.equal(world.query({ "guard" }).count, 0)
      e:enable("guard")
      t.wait(2)
      t.is_true(e.guard.timer > timer)
      seen.take()
      e:disable("guard")
      t.wait(2)
      e:destroy()
      t.wait(2)
      t.equal(seen.take(), "destroy false")
    end,
    ["removing and adding a behaviour between two runs calls destroy with the old values, then create"] =
      function(t)
        local e = world.spawn("rock", { guard = {}, dozer = {} })
        t.wait(3)
        seen.take()
        e.guard.timer = 500
        local was
        seen.want.on_destroy = function(self)
          was = self.timer
          t.fails(function() self.timer = 1 end, "guard.timer cannot be written in destroy")
        end
        for _, name in ipairs { "guard", "dozer" } do
          e:remove(name)
          e:add(name, name == "guard" and { timer = 7 } or nil)
        end
        t.wait(3)
        seen.want.on_destroy = nil
        t.equal(was, 500)
        t.is_true(e.guard.timer < 20)
        t.equal(seen.take("dozer"), "dozer destroy | dozer create 0") -- `disable` and `enable` are not called
        t.equal(seen.take(), "destroy true | create idle false")
        e:disable("dozer")
        e:disable("guard")
        t.wait(2)
        t.is_true(seen.take("dozer"):find("^dozer disable %d+$") ~= nil)
        e:enable("dozer")
        e:remove("dozer")
        e:add("dozer")
        t.wait(2)
        t.equal(seen.take("dozer"), "dozer destroy | dozer create 0 | dozer enable 1")
        destroy_all(e)
        t.wait(2)
        seen.take()
      end,
    -- Source of this test (see engine/docs/sources.md): Component based engine design.
    ["e:send emits an event only to its entity's behaviours"] = function(t)
      local a, b = spawn_guard(), spawn_guard()
      t.wait(3)
      seen.take()
      a:send("struck", { power = 3.5, by = b, at = { 1, 2 } })
      t.wait(2)
      t.equal(seen.take(), "struck 3.5 true")
      t.equal(a.guard.mood, "hunt")
      t.equal(a.guard.foe, b)
      t.equal(b.guard.mood, "idle")
      t.equal(seen.message.entity, a)
      t.equal(seen.message.by, b)
      t.equal(seen.message.at.y, 2)
      a:send("struck")
      t.wait(2)
      t.equal(seen.take(), "struck 1 true")
      world.emit("struck", { entity = a, by = b, power = 2 }) -- the behaviours of both entities receive it
      t.wait(2)
      t.equal(seen.take(), "struck 2 true | struck 2 true")
      destroy_all(a, b)
      t.wait(2)
      seen.take()
    end,
    ["e:send requires a declared event with an entity field named entity"] = function(t)
      local e = spawn_guard()
      t.fails(function() e:send("strukc") end, "e:send: unknown event strukc", "did you mean struck?")
      t.fails(function() e:send("hit") end, "e:send: the event hit has no entity field `entity`",
        "hit = { entity = shoal.types.entity")
      t.fails(function() e:send("struck", { powr = 1 }) end, "powr", "power")
      t.fails(function() e:send("struck", { power = print }) end, "power", "number")
      t.fails(function() e:send(5) end, "unknown event 5")
      t.fails(function() shoal.none:send("struck") end, "not an entity")
      t.wait(2)
      destroy_all(e)
      t.wait(2)
      seen.take()
    end,
    ["a value that a reload would lose cannot be stored in self"] = function(t)
      seen.want.keep_in_self = true
      local e = spawn_guard()
      t.wait(3)
      seen.want.keep_in_self = nil
      t.is_true(tostring(seen.self_problem):find("declare it in the fields of behaviours/guard.lua", 1, true) ~= nil)
      destroy_all(e)
      t.wait(2)
      seen.take()
    end,
    -- Source of this test (see engine/docs/sources.md): Entities-Parts, replace.
    ["a behaviour can be replaced with a different behaviour"] = function(t)
      local e = spawn_guard()
      t.wait(3)
      seen.take()
      e:remove("guard")
      e:add("sleeper")
      t.wait(3)
      t.is_false(e:has("guard"))
      t.is_true(e:has("sleeper"))
      t.equal(seen.take(), "destroy true | sleeper")
      destroy_all(e)
      t.wait(2)
      seen.take()
    end,
    ["world.system disables and enables a behaviour"] = function(t)
      local e = spawn_guard()
      t.wait(3)
      t.is_true(world.system("guard"))
      world.system("guard", false)
      local timer = e.guard.timer
      t.wait(2)
      t.is_true(e.guard.timer <= timer + 1)
      timer = e.guard.timer
      t.wait(2)
      t.equal(e.guard.timer, timer)
      world.system("guard", true)
      t.wait(2)
      t.is_true(e.guard.timer > timer)
      destroy_all(e)
      t.wait(2)
      seen.take()
    end,
  },
}

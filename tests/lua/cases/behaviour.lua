local seen = require("lib.seen")

local function guard(more)
  local overrides = more or {}
  overrides.script = { file = "behaviours/guard.lua" }
  return world.spawn("rock", overrides)
end

return {
  inside = {
    ["Entities-Parts: create, update and destroy run for the entity, and its state is a component"] = function(t)
      seen.take()
      local e = guard { probe = {} }
      t.wait(2)
      t.equal(seen.take(), "create idle true")
      local state = e["behaviour:guard"]
      t.is_true(state.timer >= 11)
      t.equal(state.mood, "idle")
      local before = state.timer
      t.wait(3)
      t.equal(state.timer, before + 3)
      t.equal(e:describe()["behaviour:guard"].mood, "idle")
      t.equal(world.count("behaviour:guard"), 1)
      t.near(seen.guard_dt, 1 / 60)
      e:destroy()
      t.wait(2)
      t.equal(seen.take(), "destroy false")
    end,
    ["every entity has a state of its own"] = function(t)
      local a, b = guard(), guard()
      t.wait(3)
      a["behaviour:guard"].timer = 1000
      t.wait()
      t.equal(a["behaviour:guard"].timer, 1001)
      t.is_true(b["behaviour:guard"].timer < 1000)
      a:destroy()
      b:destroy()
      t.wait(2)
      seen.take()
    end,
    ["script.enabled = false pauses one"] = function(t)
      local e = guard()
      t.wait(3)
      e.script.enabled = false
      t.wait()
      local timer = e["behaviour:guard"].timer
      e:send("hit", { power = 1 })
      t.wait(3)
      t.equal(e["behaviour:guard"].timer, timer)
      t.equal(e["behaviour:guard"].mood, "idle")
      e.script.enabled = true
      t.wait(2)
      t.is_true(e["behaviour:guard"].timer > timer)
      e:destroy()
      t.wait(2)
      seen.take()
    end,
    ["Component based engine design: a message reaches the one it was sent to, with its values"] = function(t)
      local a, b = guard(), guard()
      t.wait(3)
      seen.take()
      a:send("hit", { power = 3.5, from = b, list = { 1, "two", true, { deep = -1 } }, text = "a;b}{" })
      t.wait(2)
      t.equal(seen.take(), "hit 3.5 true")
      t.equal(a["behaviour:guard"].mood, "hunt")
      t.equal(a["behaviour:guard"].foe, b)
      t.equal(b["behaviour:guard"].mood, "idle")
      t.equal(seen.message.list[2], "two")
      t.is_true(seen.message.list[3])
      t.equal(seen.message.list[4].deep, -1)
      t.equal(seen.message.text, "a;b}{")
      t.equal(seen.message.from, b)
      a:send("unheard_of")
      a:send("hit")
      t.wait(2)
      t.equal(seen.take(), "hit nil true")
      a:destroy()
      b:destroy()
      t.wait(2)
      seen.take()
    end,
    ["a message holds plain values only"] = function(t)
      local e = guard()
      t.fails(function() e:send("hit", { call = print }) end, "function")
      t.fails(function() e:send("hit", { [true] = 1 }) end, "keys")
      t.fails(function() e:send(5) end, "name")
      local circle = {}
      circle.circle = circle
      t.fails(function() e:send("hit", circle) end, "message")
      t.fails(function() shoal.none:send("hit") end, "no entity")
      e:destroy()
      t.wait(2)
      seen.take()
    end,
    ["what would be lost by a reload cannot be kept in self"] = function(t)
      seen.want.keep_in_self = true
      local e = guard()
      t.wait(3)
      seen.want.keep_in_self = nil
      t.is_true(seen.self_problem:find("self.secret", 1, true) ~= nil)
      e:destroy()
      t.wait(2)
      seen.take()
    end,
    ["Entities-Parts, replace: another file takes the place of the one before"] = function(t)
      local e = guard()
      t.wait(3)
      seen.take()
      e.script.file = "behaviours/sleeper.lua"
      t.wait(3)
      t.is_false(e:has("behaviour:guard"))
      t.is_true(e:has("behaviour:sleeper"))
      t.equal(seen.take(), "destroy true | sleeper")
      e:remove("script")
      t.wait(3)
      t.is_false(e:has("behaviour:sleeper"))
      e:destroy()
      t.wait(2)
      seen.take()
    end,
    ["a file that is not there is said in the log and nothing else happens"] = function(t)
      local e = world.spawn("rock", { script = { file = "behaviours/nobody.lua" } })
      t.wait(3)
      t.is_true(e:alive())
      e:destroy()
      t.wait()
    end,
  },
}

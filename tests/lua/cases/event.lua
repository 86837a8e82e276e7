local seen = require("lib.seen")

return {
  outside = {
    ["an unknown event or field is an error that names it"] = function(t)
      t.fails(function() world.emit("hitt", {}) end, "hitt", "hit")
      t.fails(function() world.emit("hit", { who_ = shoal.none }) end, "who_", "who")
      t.fails(function() world.emit("hit", { power = "much" }) end, "event hit.power", "number")
      t.fails(function() world.emit("hit", 5) end, "table of fields")
      t.fails(function() world.emit(nil) end, "unknown event")
    end,
    ["scripts cannot emit the engine's own events"] = function(t)
      t.fails(function() world.emit("shoal.reload", {}) end, "shoal.reload")
    end,
  },
  inside = {
    ["later systems receive an event in the same tick, and earlier systems receive it in the next tick"] = function(t)
      seen.take()
      world.emit("hit", { what = "bang", power = 3 })
      t.equal(seen.take(), "")
      t.wait()
      t.equal(seen.take(), "late bang 3 | early bang 3")
      t.wait(3)
      t.equal(seen.take(), "")
    end,
    ["omitted event fields have their defaults"] = function(t)
      world.emit("hit")
      t.wait(2)
      t.equal(seen.take(), "late  1 | early  1")
    end,
    -- Source of this test (see engine/docs/sources.md): Tobias Stein, event manager.
    ["events of a tick are delivered in emission order"] = function(t)
      for i = 1, 4 do
        world.emit("hit", { what = "n", power = i })
      end
      t.wait(2)
      t.equal(seen.take("late"), "late n 1 | late n 2 | late n 3 | late n 4")
      seen.take()
    end,
    ["world.emit_many fills columns and keeps its order among other events"] = function(t)
      world.emit("hit", { what = "one", power = 1 })
      local kept
      world.emit_many("hit", 2, function(ev)
        t.equal(ev.count, 2)
        kept = ev
        for i = 1, ev.count do
          ev.what[i], ev.power[i] = "many", i * 10
        end
        t.fails(function() world.emit_many("hit", 1, function() end) end, "already")
        t.fails(function() ev.power[3] = 1 end, "out of range")
        t.fails(function() return ev.nothing end, "no field nothing")
      end)
      t.equal(kept.count, 0)
      t.fails(function() kept.power[1] = 1 end, "out of range")
      t.fails(function() world.emit_many("hit", 1, function() error("no") end) end, "no")
      world.emit_many("hit", 0, function() error("nothing to fill") end)
      t.fails(function() world.emit_many("hit", 1.5, function() end) end, "an integer")
      t.fails(function() world.emit_many("hit", 1) end, "function")
      t.fails(function() world.emit_many("hitt", 1, function() end) end, "hitt")
      t.fails(function() world.emit_many("shoal.message", 1, function() end) end, "shoal.message")
      t.wait(2)
      t.equal(seen.take("late"), "late one 1 | late many 10 | late many 20")
      seen.take()
    end,
    ["a cancelled event is not seen by later systems"] = function(t)
      world.emit("hit", { what = "cancel" })
      world.emit("hit", { what = "stays" })
      t.wait(2)
      t.equal(seen.take(), "late stays 1 | early stays 1")
    end,
    ["a system can edit an event for later systems"] = function(t)
      world.emit("hit", { what = "harder", power = 4 })
      t.wait(2)
      t.equal(seen.take(), "late harder 8 | early harder 8")
      t.near(seen.handler_dt, 1 / 60)
    end,
    ["invalid rows, fields and assignments in a handler are errors"] = function(t)
      seen.want.event_problems = true
      world.emit("hit", { what = "x" })
      t.wait()
      seen.want.event_problems = nil
      local row, field, whole = unpack(seen.event_problems)
      t.is_true(row:find("hit.power", 1, true) ~= nil and row:find("expected 1 to 1", 1, true) ~= nil)
      t.is_true(field:find("strength", 1, true) ~= nil and field:find("power", 1, true) ~= nil)
      t.is_true(whole:find("power", 1, true) ~= nil)
      t.wait()
      seen.take()
    end,
    ["an event column kept after its handler has returned has no rows"] = function(t)
      world.emit("hit", { what = "cancel" })
      world.emit("hit", { what = "x" })
      t.wait()
      local kept = seen.kept_power
      t.fails(function() return kept[1] end, "out of range")
      t.wait()
      world.emit("hit", { what = "x" })
      t.wait()
      t.fails(function() return kept[1] end, "out of range")
      t.wait()
      seen.take()
    end,
    ["a handler may spawn and emit"] = function(t)
      seen.want.spawn_in_handler = true
      world.emit("hit", { what = "first" })
      t.wait()
      t.is_true(seen.spawned:alive())
      t.equal(seen.take("late"), "late first 1")
      t.wait(2)
      t.equal(seen.take("late"), "late echo 1")
      seen.take()
      seen.spawned:destroy()
      t.wait()
    end,
    ["an unread event lasts until the end of the tick after its emission"] = function(t)
      world.emit("unread", { number = 7 })
      t.equal(#world.sql("SELECT number FROM unread"), 0) -- the event becomes visible when the system ends
      t.wait()
      t.equal(world.sql("SELECT number FROM unread")[1].number, 7)
      t.wait()
      t.equal(#world.sql("SELECT number FROM unread"), 0)
    end,
    ["an entity may be destroyed after an event names it, and an entity field rejects other values"] = function(t)
      local e = world.spawn("rock")
      t.wait()
      world.emit("hit", { who = e, what = "who" })
      t.wait()
      e:destroy()
      t.wait()
      t.fails(function() world.emit("hit", { who = 5 }) end, "event hit.who", "entity")
      seen.take()
    end,
  },
}

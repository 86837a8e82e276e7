-- Tests of world.after, world.cancel, world.tween and shoal.ease.
local seen = require("lib.seen")

-- Waits at most `max_ticks` ticks for the next lines recorded by systems/finished_events.lua. Returns the number of
-- ticks and the lines.
local function wait_for_lines(t, max_ticks)
  seen.take()
  for tick = 1, max_ticks do
    t.wait()
    local said = seen.take("later") .. seen.take("ended")
    if said ~= "" then
      return tick, said
    end
  end
  return nil
end

local function list_tweens(e)
  local list = {}
  for _, row in ipairs(world.sql("SELECT instance FROM tween WHERE entity = ? ORDER BY instance", e)) do
    list[#list + 1] = row.instance
  end
  return table.concat(list, " | ")
end

return {
  outside = {
    ["invalid arguments of world.after and world.cancel are errors"] = function(t)
      t.fails(function() world.after(-1, "hit") end, "seconds must be a finite number", "got -1")
      t.fails(function() world.after("soon", "hit") end, "seconds must be a finite number", "got text \"soon\"")
      t.fails(function() world.after(1 / 0, "hit") end, "seconds must be a finite number")
      t.fails(function() world.after(1, "hitt") end, "unknown event hitt", "did you mean hit?")
      t.fails(function() world.after(1, "tween_ended") end, "unknown event tween_ended")
      t.fails(function() world.after(1, "hit", { powr = 1 }) end, "event hit has no field powr", "power")
      t.fails(function() world.after(1, "hit", { power = "much" }) end, "power must be a number")
      t.fails(function() world.after(1, "hit", { power = 0 / 0 }) end, "power is NaN")
      t.fails(function() world.cancel(5) end, "expected the timer that world.after returned, got 5")
      local rock = world.spawn("rock")
      t.fails(function() world.cancel(rock) end, "is not a timer")
      t.equal(world.count("timer"), 0)
      rock:destroy()
      t.is_false(world.cancel(rock))
    end,
    ["invalid arguments of world.tween are errors and write nothing"] = function(t)
      local e = world.spawn("rock", { nozzle = { left = { kind = "flat" } } })
      local dead = world.spawn("rock")
      dead:destroy()
      local function check_fails(path, to, seconds, ease, options, ...)
        t.fails(function() world.tween(e, path, to, seconds, ease, options) end, ...)
      end
      t.fails(function() world.tween(5, "transform.x", 1, 1) end, "5 is not an entity")
      t.fails(function() world.tween(dead, "transform.x", 1, 1) end, "is dead: destroyed at tick")
      check_fails("transfrom.x", 1, 1, nil, nil, "is not a field", "did you mean transform?")
      check_fails("transform", 1, 1, nil, nil, "transform is not a field")
      check_fails(nil, 1, 1, nil, nil, "nil is not a field")
      check_fails("transform.xx", 1, 1, nil, nil, "transform has no field xx")
      check_fails("transform.world", 1, 1, nil, nil, "only numbers and vectors")
      check_fails("transform.parent", 1, 1, nil, nil, "transform.parent has the type entity",
        "only numbers and vectors")
      check_fails("sprite.tint", 1, 1, nil, nil, "has no sprite")
      check_fails("mode.speed", 1, 1, nil, nil,
        "mode is a singleton: use world.tween(world.single, \"mode.speed\", …)")
      t.fails(function() world.tween(world.single, "transform.x", 1, 1) end, "transform is a component",
        "world.tween(e, \"transform.x\", …)")
      check_fails("nozzle.left.kind", 1, 1, nil, nil, "nozzle.kind has the type enum")
      check_fails("nozzle.left.colour", { 1, 2 }, 1, nil, nil, "the target of nozzle.colour must have 3 numbers",
        "number 3 is missing")
      check_fails("transform.x",
        "far", 1, nil, nil, "the target of transform.x must be a finite number, got text \"far\"")
      check_fails("transform.x", 0 / 0, 1, nil, nil, "the target of transform.x must be a finite number")
      check_fails("transform.x", 1, -1, nil, nil, "seconds must be a finite number")
      check_fails("transform.x", 1, nil, nil, nil, "seconds must be a finite number")
      check_fails("transform.x", 1, 1, "cubic", nil, "unknown easing cubic", "did you mean cubic_in?")
      check_fails("transform.x", 1, 1, nil, { repeats = 2 }, "world.tween has no option repeats", "times")
      check_fails("transform.x", 1, 1, nil, { times = 0 }, "times must be an integer from 1 to 4294967295, got 0")
      check_fails("transform.x", 1, 0, nil, { forever = true }, "forever requires a duration")
      check_fails("transform.x", 1, 1, nil, { forever = true, next = { 2, 1 } }, "next is never reached")
      check_fails("transform.x", 1, 1, nil, { next = { 2, 1, "cubik_out" } }, "unknown easing cubik_out")
      check_fails("transform.x", 1, 1, nil, { next = 3 }, "next must be a table")
      check_fails("transform.x", 1, 1, nil, 3, "options must be a table")
      t.equal(world.count("tween"), 0)
      e:destroy()
    end,
    ["shoal.ease starts at 0, ends at 1 and is symmetric for in_out"] = function(t)
      for _, family in ipairs { "quad", "cubic", "quart", "quint", "sine", "expo", "circ", "back", "elastic",
        "bounce" } do
        for _, way in ipairs { "in", "out", "in_out" } do
          local name = family .. "_" .. way
          t.equal(shoal.ease(name, 0), 0)
          t.equal(shoal.ease(name, 1), 1)
          t.equal(shoal.ease(name, 7), 1)
        end
        t.near(shoal.ease(family .. "_in", 0.3), 1 - shoal.ease(family .. "_out", 0.7), 1e-12)
        t.near(shoal.ease(family .. "_in_out", 0.5), 0.5, family == "expo" and 1e-3 or 1e-12)
      end
      t.equal(shoal.ease("quad_in", 0.5), 0.25)
      t.equal(shoal.ease("cubic_out", 0.5), 0.875)
      t.near(shoal.ease("back_in", 0.5), -0.0876975, 1e-9)
      t.equal(shoal.ease("linear", 0.25), 0.25)
      t.fails(function() shoal.ease("bouncy", 0) end, "unknown easing bouncy")
      t.fails(function() shoal.ease("linear", "half") end, "the time must be a number")
    end,
  },
  inside = {
    ["world.after emits its event when it is due"] = function(t)
      local e = world.spawn("rock")
      world.after(0.5, "hit", { what = "later", power = 7, who = e })
      local tick, said = wait_for_lines(t, 60)
      t.equal(tick, 30)
      t.equal(said, "later 7 true")
      t.equal(world.count("timer"), 0)
      e:destroy()
    end,
    ["timers of one tick emit in the order of their due times"] = function(t)
      world.after(0.2001, "hit", { what = "later b" })
      world.after(0.2, "hit", { what = "later a" })
      local _, said = wait_for_lines(t, 30)
      t.equal(said, "later a 1 false | later b 1 false")
    end,
    ["a timer of 0 seconds fires in the next tick, and a cancelled timer does not fire"] = function(t)
      local late = world.after(0.1, "hit", { what = "later never" })
      world.after(0, "hit", { what = "later at once" })
      t.is_true(world.cancel(late))
      local tick, said = wait_for_lines(t, 20)
      t.equal(tick .. " " .. said, "1 later at once 1 false")
      t.equal(wait_for_lines(t, 12), nil)
      t.is_false(world.cancel(late))
    end,
    ["a disabled timer does not advance"] = function(t)
      local timer = world.after(0.1, "hit", { what = "later" })
      t.wait()
      timer:disable()
      t.equal(wait_for_lines(t, 20), nil)
      timer:enable()
      t.equal((wait_for_lines(t, 20)), 5)
    end,
    ["timers and tweens are restored with the world"] = function(t)
      local e = world.spawn("rock")
      world.after(0.2, "hit", { what = "later" })
      world.tween(e, "transform.x", 100, 0.1, "cubic_out")
      t.wait(3)
      local s = world.snapshot()
      local first = wait_for_lines(t, 30)
      local then_, x = world.snapshot(), e.transform.x
      wait_for_lines(t, 30)
      t.equal(e.transform.x, 100)
      world.restore(s)
      t.wait()
      t.is_true(e.transform.x > 1 and e.transform.x < x)
      t.equal(wait_for_lines(t, 30), first - 1)
      -- Only the tick differs, because the snapshot s was taken during a tick.
      local differs = world.compare(then_, world.snapshot())
      t.equal(#differs .. differs[1].field, "1tick")
      wait_for_lines(t, 30)
      e:destroy()
    end,
    ["a tween reaches its target exactly in its duration"] = function(t)
      local e = world.spawn("rock") -- the tween starts from x = 1
      world.tween(e, "transform.x", 301, 0.5)
      t.wait(15)
      t.near(e.transform.x, 151, 1e-3)
      t.wait(14)
      t.near(e.transform.x, 291, 1e-3)
      t.equal(list_tweens(e), "transform.x")
      t.wait()
      t.equal(e.transform.x, 301)
      t.wait()
      t.equal(list_tweens(e), "")
      e:destroy()
    end,
    ["a tween moves vectors and colours by component"] = function(t)
      local e = world.spawn("rock", { nozzle = { left = { colour = { 0, 0, 0 } } }, shape = {} })
      world.tween(e, "nozzle.left.colour", { 1, 2, 3 }, 0.2)
      world.tween(e, "shape.colour", "#ff000000", 0.2)
      world.tween(e, "shape.colour.g", 0.25, 0.2) -- replaces the tween of the green channel
      t.wait(6)
      t.near(e.nozzle.left.colour.z, 1.5, 1e-5)
      t.wait(6)
      t.equal(e.nozzle.left.colour.y, 2)
      t.equal(e.shape.colour.r, 1)
      t.equal(e.shape.colour.g, 0.25)
      t.equal(e.shape.colour.a, 0)
      e:destroy()
    end,
    ["`times` and `forever` repeat a tween, `back` reverses it, and a call without a target stops it"] = function(t)
      local e = world.spawn("rock", { transform = { x = 0, y = 0, z = 0 } })
      world.tween(e, "transform.x", 10, 0.1, "linear", { back = true })
      world.tween(e, "transform.y", 10, 0.1, "linear", { times = 3 })
      world.tween(e, "transform.z", 10, 0.1, "linear", { forever = true, back = true, from = -10 })
      t.wait(3)
      t.near(e.transform.z, 0, 1e-4)
      t.wait(3)
      t.near(e.transform.x, 10, 1e-4)
      t.near(e.transform.z, 10, 1e-4)
      t.wait(3)
      t.near(e.transform.x, 5, 1e-4)
      t.near(e.transform.y, 5, 1e-4)
      t.wait(3)
      t.equal(e.transform.x, 0)
      t.wait(6)
      t.equal(e.transform.y, 10)
      t.near(e.transform.z, 10, 1e-4)
      t.equal(list_tweens(e), "transform.z")
      world.tween(e, "transform.z")
      t.wait(2)
      local z = e.transform.z
      t.wait(2)
      t.equal(e.transform.z, z)
      t.equal(list_tweens(e), "")
      e:destroy()
    end,
    ["tween steps run sequentially, and a new tween of the same field replaces all steps"] = function(t)
      local e = world.spawn("rock", { transform = { x = 0 } })
      world.tween(e, "transform.x", 10, 0.1, nil, { next = { 20, 0.1, "linear", { delay = 0.1, next = { 0, 0.1 } } } })
      t.wait(6)
      t.equal(e.transform.x, 10)
      t.wait(5)
      t.equal(e.transform.x, 10)
      t.wait(4)
      t.near(e.transform.x, 15, 1e-4)
      t.wait(3)
      t.equal(e.transform.x, 20)
      t.wait(6)
      t.equal(e.transform.x, 0)
      world.tween(e, "transform.x", 10, 0.1, nil, { next = { 20, 0.1 } })
      t.wait(2)
      world.tween(e, "transform.x", -10, 0.1)
      t.wait(20)
      t.equal(e.transform.x, -10)
      t.equal(list_tweens(e), "")
      e:destroy()
    end,
    ["tween_ended names the entity and the field"] = function(t)
      local e = world.spawn("rock")
      world.tween(e, "transform.x", 10, 0.05)
      local tick, said = wait_for_lines(t, 10)
      t.equal(tick .. " " .. said, "3 ended transform.x true")
      e:destroy()
    end,
    ["two tweens of a singleton in one system share one owner, which a snapshot restores"] = function(t)
      local mode = world.single.mode
      world.tween(world.single, "mode.speed", 1, 1)
      world.tween(world.single, "mode.speed", nil)
      mode.speed = 2
      world.tween(world.single, "mode.speed", 8, 0.1)
      world.tween(world.single, "mode.speed", 14, 0.2) -- replaces the first tween
      t.wait(6)
      t.near(mode.speed, 8, 1e-4)
      t.equal(world.sql("SELECT count(*) AS n FROM name WHERE value = 'shoal.tweens'")[1].n, 1)
      local owner = world.find("shoal.tweens")
      t.equal(list_tweens(owner), "mode.speed")
      local s = world.snapshot()
      local _, said = wait_for_lines(t, 20)
      t.equal(said .. mode.speed, "ended mode.speed false14")
      world.restore(s)
      t.wait()
      world.tween(world.single, "mode.speed", 0, 0.1)
      t.wait(8)
      t.equal(mode.speed, 0)
      t.equal(world.find("shoal.tweens"), owner)
      mode.speed = 0.1 -- the value that cases/scheduling.lua expects
      owner:destroy()
    end,
    ["a tween ends when its entity or component is removed"] = function(t)
      local e, other = world.spawn("rock"), world.spawn("rock")
      world.tween(e, "motion.vx", 10, 1)
      world.tween(other, "motion.vx", 10, 1)
      t.wait(2)
      e:remove("motion")
      other:destroy()
      local _, said = wait_for_lines(t, 5)
      t.equal(said, "ended motion.vx true")
      t.wait()
      t.equal(world.count("tween"), 0)
      e:destroy()
    end,
    ["a disabled tween does not advance, and integers are rounded"] = function(t)
      local e = world.spawn("rock", { sprite = { frame = 1 } })
      world.tween(e, "sprite.frame", 4, 0.1)
      t.wait(1)
      t.equal(e.sprite.frame, 2)
      e:disable()
      t.wait(10)
      t.equal(e.sprite.frame, 2)
      e:enable()
      t.wait(6)
      t.equal(e.sprite.frame, 4)
      e:destroy()
    end,
  },
}

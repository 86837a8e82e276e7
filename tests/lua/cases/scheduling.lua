-- When systems run: `when`, world.system, and systems on demand.
local seen = require("lib.seen")

local function start_listening(t)
  local phase = world.single.mode.phase
  world.single.mode.phase = "playing" -- lets the systems handle events from other tests
  t.wait(2)
  world.single.mode.phase = phase
  seen.take()
  seen.want.turns = true
end

local function wait_and_take(t, ticks, prefix)
  t.wait(ticks)
  return seen.take(prefix)
end

local function stop_listening(t, ...)
  seen.want.turns = nil
  for _, e in ipairs { ... } do e:destroy() end
  world.single.mode.phase = "title"
  world.system("turn_switched", true)
  t.wait(2)
  seen.take()
end

return {
  outside = {
    ["world.run outside a system changes the world immediately"] = function(t)
      local a, b = world.spawn(nil, { fuel = { left = 1 } }), world.spawn(nil, { fuel = { left = 5 } })
      world.run("demand_kill", { below = 3 })
      t.is_false(a:alive())
      t.is_true(b:alive())
      world.run("demand_each")
      t.equal(b.fuel.left, 6)
      t.near(seen.demand_dt, 1 / 60)
      world.run("demand_single")
      t.equal(b.fuel.left, 12)
      world.run("demand_kill")
      t.equal(world.count("fuel"), 0)
    end,
    ["invalid arguments of world.run are errors"] = function(t)
      local e = world.spawn(nil, { fuel = { left = 1 } })
      t.fails(function() world.run("demand_kil") end, "unknown system demand_kil", "did you mean demand_kill?")
      t.fails(function() world.run("form_update") end, "form_update belongs to phase update", "phase = \"demand\"")
      t.fails(function() world.run("demand_kill", 5) end, "the arguments of demand_kill must be a table", "got 5")
      t.fails(function() world.run("demand_each", { again = "demand_each" }) end, "systems/demand_each.lua:9",
        "demand_each is running already: demand_each → demand_each")
      t.fails(function() world.run("demand_each", { again = "demand_pairs", back = "demand_each" }) end,
        "systems/demand_pairs.lua:8", "demand_each is running already: demand_each → demand_pairs → demand_each")
      e:destroy()
    end,
    ["a failing on-demand system changes nothing, and its caller gets the error"] = function(t)
      local e, rocks = world.spawn(nil, { fuel = { left = 1 } }), world.count("rock")
      t.fails(function() world.run("demand_each", { throws = "not today" }) end,
        "systems/demand_each.lua:12: not today")
      t.equal(world.count("rock"), rocks)
      world.run("demand_each") -- after the error, it can run again
      e:destroy()
    end,
    ["invalid arguments of world.system are errors"] = function(t)
      t.fails(function() world.system("turn_swiched", true) end, "unknown system turn_swiched",
        "did you mean turn_switched?")
      t.fails(function() world.system("demand_kill", false) end, "demand_kill runs on demand")
      t.fails(function() world.system("turn_switched", 1) end, "true or false, got 1")
      t.fails(function() world.system("shoal.scene", false) end, "unknown system shoal.scene")
      t.is_true(world.system("turn_switched"))
      t.is_false(world.system("turn_late"))
    end,
  },
  inside = {
    -- Source of this test (see engine/docs/sources.md): Ash, addSystem and removeSystem.
    ["`when` runs a system only while the fields of the singleton have the declared values"] = function(t)
      start_listening(t)
      t.equal(wait_and_take(t, 3, "when"), "")
      world.single.mode.phase = "playing"
      t.equal(wait_and_take(t, 2, "when"), "when update | when update")
      world.single.mode.phase = "over"
      t.equal(wait_and_take(t, 1, "when"), "when update")
      world.single.mode.speed = 2
      t.equal(wait_and_take(t, 2, "when"), "")
      world.single.mode.speed = 0.1
      t.equal(wait_and_take(t, 1, "when"), "when update")
      world.single.mode.phase = "title"
      t.equal(wait_and_take(t, 2, "when"), "")
      t.equal(seen.when_starts, 1)
      stop_listening(t)
    end,
    ["a disabled system's handlers do not run and do not see old events afterwards"] = function(t)
      start_listening(t)
      world.emit("hit", { what = "turn", power = 1 })
      world.system("turn_switched", false)
      world.emit("hit", { what = "turn", power = 2 })
      t.wait(3)
      world.emit("hit", { what = "turn", power = 3 })
      t.wait()
      world.single.mode.phase = "playing"
      world.system("turn_switched", true)
      t.equal(wait_and_take(t, 1, "switched"), "switched update")
      t.equal(seen.take("when"), "when update")
      world.emit("hit", { what = "turn", power = 4 })
      t.wait(2)
      t.equal(seen.take("switched"), "switched hit 4 | switched update | switched update")
      t.is_true(seen.take("when"):find("hit 4", 1, true) ~= nil)
      stop_listening(t)
    end,
    ["leave and enter run for entities that changed while the system was disabled"] = function(t)
      local a = world.spawn(nil, { display = {}, fuel = { left = 1 } })
      world.single.mode.phase = "playing"
      start_listening(t)
      world.single.mode.phase = "title"
      world.system("turn_switched", false)
      local b = world.spawn(nil, { display = {}, fuel = { left = 2 } })
      local gone = world.spawn(nil, { display = {}, fuel = { left = 3 } })
      a:remove("display")
      t.wait(2)
      gone:destroy()
      t.equal(wait_and_take(t, 3), "")
      world.single.mode.phase = "playing"
      world.system("turn_switched", true)
      t.wait()
      t.equal(seen.take("when"), "when leave true | when enter 2 | when update")
      t.equal(seen.take("switched"), "switched leave true | switched enter 2 | switched update")
      stop_listening(t, a, b)
    end,
    ["enabling a system does not run start again"] = function(t)
      local starts = seen.switched_starts
      world.system("turn_switched", false)
      t.wait(2)
      world.system("turn_switched", true)
      t.wait(2)
      t.equal(seen.switched_starts, starts)
    end,
    ["a system with enabled = false runs after world.system enables it"] = function(t)
      t.equal(seen.late_start, nil)
      t.is_true(world.system("turn_late", true))
      t.wait(3)
      t.equal(seen.late_runs, 3)
      t.is_false(world.system("turn_late", false))
      t.wait(2)
      t.equal(seen.late_runs, 3)
    end,
    ["a restore of the world also restores which systems are enabled"] = function(t)
      local before, s = world.hash(), world.snapshot()
      world.system("turn_switched", false)
      t.is_true(world.hash() ~= before)
      t.wait(2)
      world.restore(s)
      t.wait()
      t.is_true(world.system("turn_switched"))
      start_listening(t)
      t.equal(wait_and_take(t, 1, "switched"), "switched update")
      stop_listening(t)
    end,
    ["a system in single precision is enabled, disabled and restored like any other system"] = function(t)
      local e = world.spawn(nil, { drift = { way = 0 } })
      t.wait(4)
      local x = e.drift.way
      t.is_true(x >= 3)
      world.system("turn_single", false)
      t.wait(2)
      t.equal(e.drift.way, x)
      local off = world.snapshot()
      world.system("turn_single", true)
      t.wait(3)
      t.equal(e.drift.way, x + 3)
      world.restore(off)
      t.wait(2)
      t.equal(e.drift.way, x)
      t.is_false(world.system("turn_single"))
      world.system("turn_single", true)
      t.wait(2)
      t.equal(e.drift.way, x + 2)
      e:destroy()
    end,
    ["the systems table lists a system's condition and whether it is enabled"] = function(t)
      local function query_system(name)
        return world.sql("SELECT phase, condition, is_on FROM systems WHERE name = ?", name)[1]
      end
      local row = query_system("turn_when")
      t.equal(row.condition, "mode.phase = playing or over, mode.speed = 0.1")
      t.equal(row.is_on, true)
      t.equal(query_system("form_update").condition, nil)
      t.equal(query_system("turn_late").is_on, false)
      t.equal(query_system("demand_kill").phase, "demand")
      world.system("turn_switched", false)
      t.wait()
      t.equal(query_system("turn_switched").is_on, false)
      world.system("turn_switched", true)
    end,
    -- Source of this test (see engine/docs/sources.md): Klutzershy, kill all monsters.
    ["world.run runs an on-demand system over its query"] = function(t)
      local a, b = world.spawn(nil, { fuel = { left = 1 } }), world.spawn(nil, { fuel = { left = 5 }, display = {} })
      t.wait(2)
      world.run("demand_pairs", { word = "now" })
      t.equal(seen.pairs, "2 1 now")
      world.run("demand_free", { word = "free" })
      t.equal(seen.free_demand, "free " .. world.tick)
      t.equal(world.count("fuel"), 2) -- the spawned entity is not visible yet, as in any system
      world.run("demand_kill")
      t.equal(world.count("fuel"), 2)
      t.wait()
      t.is_false(a:alive() or b:alive())
      t.equal(world.count("fuel"), 1)
      world.run("demand_kill")
      t.wait()
      t.equal(world.count("fuel"), 0)
    end,
    ["a behaviour can run an on-demand system from create and from a handler"] = function(t)
      local a = world.spawn(nil, { fuel = { left = 1 }, asker = {} })
      t.wait(3)
      t.equal(a.fuel.left, 11)
      a:send("poke")
      t.wait(2)
      t.equal(a.fuel.left, 111)
      a:destroy()
      t.wait()
    end,
    ["a failing on-demand system drops its own commands but not those of its caller"] = function(t)
      local e = world.spawn(nil, { fuel = { left = 1 } })
      t.wait()
      local rocks = world.count("rock")
      local mine = world.spawn("rock")
      t.fails(function() world.run("demand_each", { throws = "not today" }) end, "not today")
      t.wait()
      t.equal(world.count("rock"), rocks + 1)
      mine:destroy()
      e:destroy()
      t.wait()
    end,
  },
}

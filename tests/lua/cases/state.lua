return {
  outside = {
    ["an entity starts in its initial state with that state's components"] = function(t)
      local e = world.spawn("tank")
      t.equal(e:state(), "alive")
      t.is_true(e:has("burning"))
      t.equal(e.motion.vx, 3)
      t.is_false(e:has("lifetime"))
      e:destroy()
    end,
    ["entering a state removes the old state's components and adds the new state's components"] = function(t)
      local e = world.spawn("tank")
      t.equal(e:enter("dying"), e)
      t.equal(e:state(), "dying")
      t.is_false(e:has("burning"))
      t.equal(e.lifetime.seconds, 2)
      e:enter("alive")
      t.is_true(e:has("burning"))
      t.is_false(e:has("lifetime"))
      e:destroy()
    end,
    ["entering a state writes the fields that the state names and keeps the remaining fields"] = function(t)
      local e = world.spawn("tank")
      e.motion.vx, e.motion.vy = 77, 5
      e:enter("dying")
      t.equal(e.motion.vx, 9)
      t.equal(e.motion.vy, 5)
      e:enter("alive")
      t.equal(e.motion.vx, 3)
      e:destroy()
    end,
    -- Source of this test (see engine/docs/sources.md): Ash, finite state machines.
    ["a ship that enters the state destroyed is displayed as a wreck"] = function(t)
      local e = world.spawn("ship")
      t.equal(e.display.view, "ship")
      t.equal(e.display.size, 3)
      e.display.size = 7
      e:enter("destroyed")
      t.equal(e.display.view, "wreck")
      t.equal(e.display.size, 7)
      e:enter("playing")
      t.equal(e.display.view, "ship")
      e:destroy()
    end,
    ["a component that both states declare identically keeps its values when the state changes"] = function(t)
      local e = world.spawn("ship")
      e:enter("destroyed")
      e.display.view = "mine"
      e:enter("drifting")
      t.equal(e.display.view, "mine")
      e:destroy()
    end,
    -- Source of this test (see engine/docs/sources.md): Ash.
    ["a state's component may be a function of the entity"] = function(t)
      local e = world.spawn("ship")
      e.display.size = 12
      t.equal(e:enter("destroyed"), e)
      t.equal(e.lifetime.seconds, 12)
      e:enter("drifting")
      t.equal(e.label.text, "adrift")
      t.is_false(e:has("lifetime"))
      e:destroy()
    end,
    -- Source of this test (see engine/docs/sources.md): Ash.
    ["two states with the same function share the component"] = function(t)
      local e = world.spawn("ship")
      e:enter("adrift")
      e.label.text = "mine"
      e:enter("still_adrift")
      t.equal(e.label.text, "mine")
      e:enter("playing")
      e:enter("still_adrift")
      t.equal(e.label.text, "adrift")
      e:destroy()
    end,
    -- Source of this test (see engine/docs/sources.md): Ash.
    ["`keep` restores the values that a component had when its state was left"] = function(t)
      local e = world.spawn("keeper")
      e.gun.left.heat, e.gun.right.heat, e.shield.power = 0.5, 0.5, 3
      e:enter("unarmed")
      t.is_false(e:has("gun"))
      t.is_false(e:has("shield"))
      t.equal(#world.sql('SELECT * FROM "kept:gun"'), 1)
      t.equal(world.sql('SELECT heat FROM "kept:gun" WHERE instance = ?', "armed/left")[1].heat, 0.5)
      e:enter("armed")
      t.equal(e.gun.left.heat, 0.5)
      t.equal(e.gun.right.heat, 0)
      t.equal(e.shield.power, 3)
      t.equal(#world.sql('SELECT * FROM "kept:gun"'), 0)
      e:destroy()
    end,
    ["kept values belong to the entity and its state"] = function(t)
      local e, f = world.spawn("keeper"), world.spawn("keeper")
      e.shield.power, f.shield.power = 3, 2
      e:enter("shielded")
      t.equal(e.shield.power, 9)
      e.shield.power = 5
      f:enter("unarmed")
      e:enter("armed")
      f:enter("armed")
      t.equal(e.shield.power, 3)
      t.equal(f.shield.power, 2)
      e:enter("unarmed")
      e:destroy()
      f:destroy()
      t.equal(#world.sql('SELECT * FROM "kept:shield"'), 0)
    end,
    ["a component that two states keep has its current values in both states"] = function(t)
      local e = world.spawn("shared_keeper")
      e.shield.power = 3
      e:enter("wild")
      t.equal(e.shield.power, 3)
      e.shield.power = 7
      e:enter("calm")
      t.equal(e.shield.power, 7)
      e:enter("wild")
      t.equal(e.shield.power, 7)
      e:enter("bare")
      t.is_false(e:has("shield"))
      e:enter("wild")
      t.equal(e.shield.power, 7)
      e.shield.power = 8
      e:enter("calm")
      t.equal(e.shield.power, 8)
      e:destroy()
    end,
    ["a component that two states keep has its current values in both, even if only one sets values"] = function(t)
      local e = world.spawn("shared_keeper")
      e.shield.power = 3
      e:enter("loose")
      t.equal(e.shield.power, 3)
      e.shield.power = 7
      e:enter("calm")
      t.equal(e.shield.power, 7)
      e.shield.power = 8
      e:enter("bare")
      e:enter("loose")
      t.equal(e.shield.power, 8)
      e.shield.power = 6
      e:enter("bare")
      e:enter("calm")
      t.equal(e.shield.power, 6)
      e:destroy()
    end,
    ["a component that two states keep has its last values in a state that was never entered"] = function(t)
      local e = world.spawn("shared_keeper")
      e.shield.power = 3
      e:enter("bare")
      e:enter("wild")
      t.equal(e.shield.power, 3)
      e:destroy()
    end,
    ["values that states set differently are kept for each state"] = function(t)
      local e = world.spawn("shared_keeper")
      e.shield.power = 3
      e:enter("odd")
      t.equal(e.shield.power, 9)
      e.shield.power = 5
      e:enter("calm")
      t.equal(e.shield.power, 3)
      e:enter("odd")
      t.equal(e.shield.power, 5)
      e:enter("bare")
      t.equal(#world.sql('SELECT * FROM "kept:shield"'), 4) -- one row for each state that keeps shield
      e:destroy()
    end,
    ["functions of the initial state can read the values that world.spawn overrides"] = function(t)
      local e = world.spawn("namesake", { name = "bob", transform = { x = 4 },
        children = { tag = { name = "fob" } } })
      t.equal(e.label.text, "bob at 4")
      t.equal(e:child("tag").label.text, "child fob")
      local named = world.spawn("namesake", { name = "bob", label = "mine" })
      t.equal(named.label.text, "mine") -- overrides take precedence
      local bare = world.spawn("namesake", { label = false })
      t.is_false(bare:has("label"))
      e:destroy()
      named:destroy()
      bare:destroy()
    end,
    ["kept values are part of an exported scene"] = function(t)
      local e = world.spawn("keeper")
      e.shield.power = 3
      e:enter("unarmed")
      local copy = world.import(world.export(nil, { "transform" }))[1]
      t.is_true(copy ~= e)
      t.equal(copy:state(), "unarmed")
      copy:enter("armed")
      t.equal(copy.shield.power, 3)
      copy:destroy()
      e:destroy()
    end,
    ["an assemblage can override an inherited `keep`"] = function(t)
      local e = world.spawn("keeps_no_more")
      e.shield.power, e.gun.left.heat = 3, 0.5
      e:enter("unarmed")
      e:enter("armed")
      t.equal(e.shield.power, 4)
      t.equal(e.gun.left.heat, 0.5)
      e:destroy()
    end,
    ["spawning calls the functions of initial states, including the functions of the children's states"] = function(t)
      local e = world.spawn("chancy")
      t.equal(e.shield.power, 2)
      t.equal(e:children()[1].label.text, "adrift")
      local f = world.spawn("chancy", { shield = { power = 8 } })
      t.equal(f.shield.power, 8)
      t.fails(function() world.spawn_many("chancy", 3) end, "its initial states call a function for each entity",
        "world.spawn")
      e:destroy()
      f:destroy()
    end,
    ["a failing state function leaves the entity in its state and reports file and line"] = function(t)
      local e, rocks = world.spawn("careless"), world.count("rock")
      local function check_enter_fails(name, line, ...)
        t.fails(function() e:enter(name) end, "lib/state_functions.lua:" .. line .. ": ",
          "stays in its state well and does not enter " .. name, ...)
        t.equal(e:state(), "well")
        t.equal(e.label.text, "well")
        t.is_false(e:has("shield"))
      end
      check_enter_fails("throws", 5, "no shield today")
      check_enter_fails("spawns", 6, "world.spawn", "the function of shield")
      check_enter_fails("destroys", 7, "e:destroy", "must not change the world")
      check_enter_fails("enters", 8, "e:enter", "must not change the world")
      check_enter_fails("nothing", 9, "shield must be a table of fields", "returned nil")
      check_enter_fails("rubbish", 10, "shield.power must be a number, got text \"much\"")
      check_enter_fails("text", 11, "shield.power must be a number")
      check_enter_fails("writes", 12, "label.text cannot be written")
      t.equal(world.count("rock"), rocks)
      e:enter("well")
      e:destroy()
    end,
    ["entering a state leaves components that no state names unchanged"] = function(t)
      local e = world.spawn("tank")
      e:add("label", { text = "mine" })
      e.health.hp = 2
      e:enter("dying")
      t.equal(e.label.text, "mine")
      t.equal(e.health.hp, 2)
      t.equal(e.gun.left.heat, 1)
      e:destroy()
    end,
    ["entering the current state changes nothing"] = function(t)
      local e = world.spawn("tank")
      e.burning.heat = 9
      e:enter("alive")
      t.equal(e.burning.heat, 9)
      e:destroy()
    end,
    ["an unknown state is an error that lists the states"] = function(t)
      local e, plain = world.spawn("tank"), world.spawn("rock")
      t.fails(function() e:enter("dancing") end, "dancing", "alive", "dying")
      t.fails(function() plain:enter("alive") end, "alive", "rock")
      t.fails(function() e:enter(5) end, "name of a state")
      t.equal(e:state(), "alive")
      e:destroy()
      plain:destroy()
    end,
    ["states are inherited and can be extended"] = function(t)
      local e = world.spawn("heavy_tank")
      t.equal(e:state(), "alive")
      t.equal(e.motion.vx, 1)
      t.is_true(e:has("burning"))
      e:enter("stuck")
      t.is_true(e:has("frozen"))
      t.is_false(e:has("motion"))
      e:enter("dying")
      t.equal(e.lifetime.seconds, 2)
      e:destroy()
    end,
  },
  inside = {
    ["in a system, the state changes when the system ends"] = function(t)
      local e = world.spawn("tank")
      t.wait()
      e:enter("dying")
      t.equal(e:state(), "alive")
      t.is_true(e:has("burning"))
      t.wait()
      t.equal(e:state(), "dying")
      t.is_false(e:has("burning"))
      e:destroy()
      t.wait()
    end,
    ["a queued entity can enter a state immediately, and the state's components can be written"] = function(t)
      local e = world.spawn("tank")
      e:enter("dying")
      e:set("lifetime", { seconds = 7 })
      t.wait()
      t.equal(e:state(), "dying")
      t.near(e.lifetime.seconds, 7, 0.1)
      e:destroy()
      t.wait()
    end,
    ["in a system, state functions are called immediately, and their values are applied with the state"] = function(t)
      local e = world.spawn("ship")
      t.wait()
      e.display.size = 30
      e:enter("destroyed")
      e.display.size = 5
      t.is_false(e:has("lifetime"))
      t.wait()
      t.is_true(e.lifetime.seconds > 29)
      e:enter("playing")
      e:enter("destroyed") -- entered again in the same run: its function is called again
      t.wait()
      t.equal(e:state(), "destroyed")
      t.is_true(e.lifetime.seconds > 4 and e.lifetime.seconds <= 5)
      e:destroy()
      t.wait()
    end,
    ["states and kept values are restored with the world"] = function(t)
      local e = world.spawn("keeper")
      t.wait()
      e.shield.power = 3
      e:enter("unarmed")
      t.wait()
      local s, hash = world.snapshot(), world.hash()
      e:enter("armed")
      t.wait()
      t.equal(e.shield.power, 3)
      e.shield.power = 1
      world.restore(s)
      t.wait()
      t.equal(e:state(), "unarmed")
      e:enter("armed")
      t.wait()
      t.equal(e.shield.power, 3)
      t.is_true(hash ~= "")
      e:destroy()
      t.wait()
    end,
    ["a lifetime given by a state destroys the entity"] = function(t)
      local e = world.spawn("tank")
      e:enter("dying")
      t.wait(100)
      t.is_true(e:alive())
      t.wait(30)
      t.is_false(e:alive())
    end,
  },
}

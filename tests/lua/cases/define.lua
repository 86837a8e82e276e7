-- world.define: assemblages defined and changed while the game runs.
local function destroy(...)
  for _, e in ipairs { ... } do
    if e:alive() then
      e:destroy()
    end
  end
end

return {
  outside = {
    -- Source of this test (see engine/docs/sources.md): Rectangle Eater.
    ["redefining an assemblage updates its entities and derived assemblages, except overridden values"] = function(t)
      world.define("human", { components = { transform = {}, health = { hp = 5 }, label = { text = "seen" } } })
      local seen, hurt = world.spawn("human"), world.spawn("human", { health = { hp = 2 } })
      t.equal(seen:assemblage(), "human")
      world.define("invisible", { is = "human", components = { label = false } })
      local unseen = world.spawn("invisible")
      t.is_false(unseen:has("label"))
      t.equal(unseen.health.hp, 5)
      world.define("human", { components = { transform = {}, health = { hp = 9 }, burning = { heat = 3 } } })
      t.equal(seen.health.hp, 9)      -- updated by the definition
      t.equal(hurt.health.hp, 2)      -- kept, because the spawn overrides it
      t.equal(seen.burning.heat, 3)   -- added by the definition
      t.is_false(seen:has("label"))   -- removed by the definition
      t.equal(unseen.health.hp, 9)    -- inherited from human
      t.equal(world.count("human"), 2)
      destroy(seen, hurt, unseen)
    end,
    ["spawn_many, SQL, JSON and exported scenes accept a defined assemblage"] = function(t)
      world.define("walker", { is = "rock", doc = "walks", components = { motion = { vy = 4 } },
        children = { hat = { components = { label = "hat" } } } })
      local list = world.spawn_many("walker", 3)
      t.equal(#world.sql("SELECT 1 FROM assemblages WHERE name = 'walker'"), 1)
      t.equal(#world.sql("SELECT 1 FROM assemblage_components WHERE assemblage = 'walker' AND component = 'motion'"), 1)
      t.equal(#list[1]:children(), 1)
      t.is_true(list[1]:json():find('"vy":4', 1, true) ~= nil)
      local made = world.import(world.export(nil, { "motion", "transform" }))
      local found = 0
      for _, e in ipairs(made) do
        found = found + (e:assemblage() == "walker" and 1 or 0)
      end
      t.is_true(found >= 3)
      destroy(unpack(list))
      destroy(unpack(made))
    end,
    ["a restore restores definitions"] = function(t)
      world.define("moth", { components = { health = { hp = 1 } } })
      local before = world.snapshot()
      world.define("moth", { components = { health = { hp = 2 } } })
      world.define("lamp", { is = "moth" })
      local after, hash = world.snapshot(), world.hash()
      world.restore(before)
      t.fails(function() world.spawn("lamp") end, "unknown assemblage lamp")
      local e = world.spawn("moth")
      t.equal(e.health.hp, 1)
      world.restore(after)
      t.equal(world.hash(), hash)
      e = world.spawn("lamp")
      t.equal(e.health.hp, 2)
      e:destroy()
      world.restore(after)
      t.equal(world.hash(), hash)
    end,
    ["defining an assemblage again with equal values changes nothing"] = function(t)
      world.define("same", { components = { health = { hp = 1, max = 3 } } })
      local hash = world.hash()
      world.define("same", { components = { health = { max = 3, hp = 1 } } })
      t.equal(world.hash(), hash)
    end,
    ["redefined states update their entities, and entities in a removed state enter the initial state"] = function(t)
      world.define("door", { is = "rock", states = { initial = "shut", shut = { label = "shut" },
        open = { label = "open", burning = {} } } })
      local e = world.spawn("door")
      e:enter("open")
      world.define("door", { is = "rock", states = { initial = "shut", shut = { label = "shut" },
        open = { label = "wide open" } } })
      t.equal(e.label.text, "wide open")
      t.is_false(e:has("burning"))
      world.define("door", { is = "rock", states = { initial = "closed", closed = { label = "closed" } } })
      t.equal(e:state(), "closed")
      t.equal(e.label.text, "closed")
      e:destroy()
    end,
    ["a defined assemblage calls the functions of inherited states"] = function(t)
      world.define("boat", { is = "ship", components = { display = { size = 4 } } })
      local e = world.spawn("boat")
      e:enter("destroyed")
      t.equal(e.lifetime.seconds, 4)
      e:destroy()
    end,
    ["a defined assemblage keeps the values that its inherited states keep"] = function(t)
      world.define("guardian", { is = "keeper" })
      local e = world.spawn("guardian")
      e.shield.power = 11
      e:enter("unarmed")
      e:enter("armed")
      t.equal(e.shield.power, 11)
      e:destroy()
    end,
    ["redefining an assemblage adds, changes and removes named instances of its entities"] = function(t)
      world.define("turreted", { components = { gun = { left = { heat = 1 }, right = {} } } })
      local e = world.spawn("turreted")
      world.define("turreted", { components = { gun = { left = { heat = 5 }, top = { heat = 2 } } } })
      t.equal(e.gun.left.heat, 5)
      t.equal(e.gun.top.heat, 2)
      t.equal(#world.sql("SELECT 1 FROM gun WHERE entity = ?", e), 2)
      e:destroy()
    end,
    ["redefining an assemblage replaces the children of its entities, except changed children"] = function(t)
      world.define("cart", { is = "rock", children = { wheel = { components = { label = "round" } } } })
      local a, b = world.spawn("cart"), world.spawn("cart")
      b:children()[1].label.text = "square"
      world.define("cart", { is = "rock", children = { axle = { is = "pebble" } } })
      t.equal(#a:children(), 1)
      t.equal(a:children()[1]:assemblage(), "cart/axle")
      t.equal(#b:children(), 2)
      destroy(a, b)
    end,
    ["an invalid definition is an error and changes nothing"] = function(t)
      world.define("fine", { components = { health = { hp = 3 } } })
      local hash = world.hash()
      local function check_refused(name, declaration, ...)
        t.fails(function() world.define(name, declaration) end, "world.define", ...)
        t.equal(world.hash(), hash)
      end
      check_refused("a b", {}, '"a b" is not a valid name')
      check_refused("fine/child", {}, "is not a valid name")
      check_refused(7, {}, "the name must be a string")
      check_refused("wrong", nil, "wrong must be a table like an assemblage", "got nil")
      check_refused("wrong", "rock", "got text \"rock\"")
      check_refused("rock", {}, "rock is declared in assemblages.lua:", 'is = "rock"')
      check_refused("wrong", { components = { helth = {} } }, "wrong: unknown component helth", "did you mean health?")
      check_refused("wrong", { components = { health = { hpp = 1 } } }, "health has no field hpp", "hp")
      check_refused("wrong", { components = { health = { hp = "many" } } }, "health.hp")
      check_refused("wrong", { compnents = {} }, "wrong has no field compnents", "components")
      check_refused("wrong", { is = "rok" }, "unknown assemblage rok", "did you mean rock?")
      check_refused("wrong", { is = "wrong" }, "cyclic assemblages: wrong → wrong")
      check_refused("wrong", { children = { inner = { is = "wrong" } } }, "cyclic assemblages: wrong → wrong")
      check_refused("wrong", { components = { health = { hp = function() end } } },
        "wrong.components.health.hp is a function: a definition is saved with the world")
      check_refused("wrong", { states = { initial = "a", a = { health = function() end } } }, "wrong.states.a.health")
      check_refused("wrong", { components = { health = { hp = 0 / 0 } } }, "wrong.components.health.hp is NaN")
      check_refused("wrong", { [{}] = 1 }, "a key of wrong is a table")
      check_refused("wrong", { components = { label = ("x"):rep(70000) } }, "wrong is too long: 700", "at most 65536")
      check_refused("wrong", { states = { initial = "a", a = { shield = { power = 1, keep = true } } } },
        "keep = true is allowed only in")
      check_refused("fine", { is = "fine" }, "cyclic")
      local circle = {}
      circle.components = circle
      check_refused("wrong", circle, "cannot represent cycles")
    end,
    ["a cyclic definition is rejected with an error that shows the cycle"] = function(t)
      world.define("mother", { components = { health = {} } })
      world.define("daughter", { is = "mother", components = { label = "d" } })
      t.fails(function() world.define("mother", { is = "daughter" }) end, "world.define", "cyclic",
        "daughter → mother")
      t.equal(world.spawn("daughter"):destroy(), true)
    end,
  },
  inside = {
    ["in a system, a definition applies to spawns immediately, and to living entities at its end"] = function(t)
      world.define("flea", { components = { health = { hp = 1 }, label = "flea" } })
      local first = world.spawn("flea")
      t.wait(1)
      local queued = world.spawn("flea", { label = "mine" })
      world.define("flea", { components = { health = { hp = 2 }, burning = {} } })
      local later = world.spawn("flea", { health = { hp = 1 } })
      t.equal(first.health.hp, 1)
      t.equal(#world.sql("SELECT 1 FROM assemblages WHERE name = 'flea'"), 1)
      t.fails(world.snapshot, "world.define")
      world.define("flea", { components = { health = { hp = 3 }, burning = {}, label = "new" } })
      t.wait(1)
      t.equal(first.health.hp, 3)
      t.equal(first.label.text, "new")
      t.is_true(first:has("burning"))
      t.equal(queued.health.hp, 3)
      t.equal(queued.label.text, "mine")
      t.equal(later.health.hp, 1)
      t.equal(later.label.text, "new")
      destroy(first, queued, later)
    end,
    ["definitions of a failed on-demand system are dropped"] = function(t)
      t.fails(function() world.run("demand_free", { define = "never" }) end, "defined and thrown")
      t.fails(function() world.spawn("never") end, "unknown assemblage never")
      t.wait(1)
      t.fails(function() world.spawn("never") end, "unknown assemblage never")
    end,
  },
}

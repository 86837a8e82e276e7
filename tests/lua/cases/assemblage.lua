return {
  outside = {
    ["`is` merges assemblages field by field, and later assemblages override earlier assemblages"] = function(t)
      local e = world.spawn("both")
      t.equal(e.transform.x, 1)  -- rock's value; vehicle does not set x
      t.equal(e.motion.vx, 20)
      t.equal(e.health.hp, 7)    -- vehicle's value: it is listed later
      t.equal(e.health.max, 100) -- the default of the component
      t.equal(e:assemblage(), "both")
      e:destroy()
    end,
    ["an assemblage's own values override inherited values"] = function(t)
      local e = world.spawn("pebble")
      t.equal(e.motion.vx, 20)
      t.equal(e.motion.vy, 5)
      e:destroy()
    end,
    ["`without` omits an inherited component"] = function(t)
      local e = world.spawn("pebble")
      t.is_false(e:has("health"))
      e:destroy()
    end,
    ["an empty table gives a component its defaults, and a bare value sets its only field"] = function(t)
      local e = world.spawn("short")
      t.equal(e.label.text, "hello")
      t.equal(e.burning.heat, 1)
      t.is_true(e:has("frozen"))
      e:destroy()
    end,
    ["an override changes fields of a named instance and adds instances"] = function(t)
      local e = world.spawn("tank", { gun = { left = { cooldown = 3 }, top = { heat = 4 } } })
      t.equal(e.gun.left.heat, 1)
      t.equal(e.gun.left.cooldown, 3)
      t.equal(e.gun.right.cooldown, 0.25)
      t.equal(e.gun.top.heat, 4)
      e:destroy()
    end,
    ["named instances are inherited and extended"] = function(t)
      local e = world.spawn("heavy_tank")
      t.equal(e.gun.left.heat, 1)
      t.equal(e.gun.left.cooldown, 9)
      t.equal(e.gun.rear.heat, 2)
      e:destroy()
    end,
    ["fields of a named instance are read, written and checked like those of a component"] = function(t)
      local e = world.spawn(nil, { nozzle = { a = { colour = { 9, 8, 7 }, kind = "flat" } } })
      local n = e.nozzle.a
      t.equal(n.colour.x + n.colour.g + n.colour.z, 24)
      t.equal(n.kind, "flat")
      t.is_false(n.on)
      t.equal(n.target, shoal.none)
      n.colour.y, n.on, n.target, n.kind = 1, true, e, "round"
      t.equal(n.colour.g, 1)
      n.colour = { 4, 5, 6 }
      t.equal(n.colour.z, 6)
      t.is_true(n.on)
      t.equal(n.target, e)
      t.equal(n.kind, "round")
      t.fails(function() n.kind = "square" end, "nozzle.kind", "round, flat")
      t.fails(function() n.colour = 5 end, "colour")
      t.fails(function() n.nothing = 5 end, "nothing", "colour")
      t.fails(function() e.nozzle.a = 5 end, "instance")
      e:destroy()
    end,
    ["an override adds a component that the assemblage lacks"] = function(t)
      local e = world.spawn("rock", { burning = { heat = 6 }, frozen = {} })
      t.equal(e.burning.heat, 6)
      t.is_true(e:has("frozen"))
      e:destroy()
    end,
    ["world.count returns the number of entities of an assemblage or with a component"] = function(t)
      local a, b = world.spawn("pebble"), world.spawn("pebble")
      t.equal(world.count("pebble"), 2)
      t.equal(world.count("rock"), 0) -- a pebble inherits from rock but is not counted as one
      t.equal(world.count("motion"), 2)
      a:destroy()
      t.equal(world.count("pebble"), 1)
      b:destroy()
      t.fails(function() world.count("boulder") end, "boulder")
    end,
    ["spawn_many rejects invalid counts, and its view is closed afterwards"] = function(t)
      t.equal(#world.spawn_many("rock", 0), 0)
      for _, wrong in ipairs { -1, 1.5, 0 / 0, 1 / 0, 2 ^ 32 + 1, 4194304, "3" } do
        t.fails(function() world.spawn_many("rock", wrong) end, "an integer")
      end
      t.fails(function() world.spawn_many("rock", 3, 5) end, "function")
      local kept, view
      local es = world.spawn_many("rock", 3, function(q) kept, view = q.transform.x, q end)
      collectgarbage()
      t.equal(view.count, 0)
      t.fails(function() return kept[1] end, "out of range")
      t.fails(function() kept[1] = 5 end, "out of range")
      for _, e in ipairs(es) do
        e:destroy()
      end
    end,
    ["spawn_many reports components that the assemblage lacks"] = function(t)
      t.fails(function()
        world.spawn_many("rock", 2, function(q) return q.burning end)
      end, "cases/assemblage.lua:", "burning; available: ", "motion")
      local _, problem = pcall(world.spawn_many, "rock", 2, function(q) return q.counts end)
      t.is_false(problem:find("count[,?]") or problem:find("entity") or false)
      t.fails(function() world.spawn_many("rock", 2, function(q) q.transform.x = 5 end) end, "transform.x[i]")
      t.fails(function() world.spawn_many("rock", 2, function() coroutine.yield() end) end, "yield")
      t.equal(world.count("rock"), 0)
    end,
    ["world.count counts the rows of a component if an assemblage has the same name"] = function(t)
      local a, b = world.spawn("health"), world.spawn("rock") -- both entities have the component health
      t.equal(world.count("health"), 2)
      a:destroy()
      t.equal(world.count("health"), 1)
      b:destroy()
    end,
    ["children are spawned in declaration order, inherited children first"] = function(t)
      local function child_names(of)
        local out = {}
        for i, child in ipairs(world.spawn(of):children()) do out[i] = child:name() end
        return table.concat(out, " ")
      end
      t.equal(child_names("crew"), "zoe 1 adam 2 bob")
      t.equal(child_names("larger_crew"), "zoe 1 adam 2 bob ida cid")
      t.equal(child_names("computed_crew"), "1 2 adam zoe")
      for e in world.each("transform") do e:destroy() end
    end,
    ["children are spawned and destroyed with their parent"] = function(t)
      local e = world.spawn("tank")
      local children = e:children()
      t.equal(#children, 1)
      t.equal(children[1]:name(), "turret")
      t.equal(children[1].transform.y, 8)
      t.equal(children[1]:parent(), e)
      e:destroy()
      t.is_false(children[1]:alive())
    end,
    ["spawn_many gives every parent its own child"] = function(t)
      local es = world.spawn_many("tank", 5)
      for i, e in ipairs(es) do
        t.equal(#e:children(), 1)
        t.equal(e:children()[1]:parent(), es[i])
        e:destroy()
      end
      t.equal(world.count("transform"), 0)
    end,
    ["e:child() finds a child by its name in the assemblage, even if its name component differs"] = function(t)
      local e = world.spawn("tank")
      local turret = e:children()[1]
      t.equal(e:child("turret"), turret)
      turret:set("name", { value = "renamed" })
      t.equal(e:child("turret"), turret)
      t.equal(e:child("renamed"), nil)
      t.equal(e:child("wheel"), nil)
      local heavy = world.spawn("heavy_tank")
      t.equal(heavy:child("turret"), heavy:children()[1])
      t.fails(function() e:child(true) end, "e:child", "name of a child", "got true")
      local crew = world.spawn("larger_crew")
      t.equal(crew:child("adam").label.text, "again")
      t.equal(crew:child(2), crew:child("2"))
      t.equal(crew:child("cid"):child("turret"), nil)
      local stranger = world.spawn("rock")
      stranger.transform.parent = e
      t.equal(e:child("rock"), nil)
      turret:destroy()
      t.equal(e:child("turret"), nil)
      for _, spawned in ipairs { e, heavy, crew } do
        spawned:destroy()
      end
      t.equal(e:child("turret"), nil)
    end,
    ["world.spawn accepts values for children by name or position, at any depth"] = function(t)
      local convoy = world.spawn("convoy", {
        transform = { x = 4 },
        children = {
          lead = {
            health = { hp = 3 },
            motion = false,
            children = { turret = { transform = { x = 6 }, label = "t" } },
          },
          [1] = { transform = { x = 9 } },
        },
      })
      local lead = convoy:child("lead")
      t.equal(convoy.transform.x, 4)
      t.equal(convoy:child(1).transform.x, 9)
      t.equal(convoy:child("first").transform.x, 1)
      t.equal(lead.health.hp, 3)
      t.is_false(lead:has("motion"))
      t.equal(lead:child("turret").transform.x, 6)
      t.equal(lead:child("turret").transform.y, 8)
      t.equal(lead:child("turret").label.text, "t")
      t.equal(#convoy:children(), 3)
      local computed = setmetatable({}, { __index = { turret = { label = "computed" } } })
      local tank = world.spawn("tank", setmetatable({}, { __index = { children = computed } }))
      t.equal(tank:child("turret").label.text, "computed")
      local ship = world.spawn("chancy", { children = { part = { display = { size = 9 } } } })
      t.equal(ship:child("part").display.size, 9)
      t.equal(ship:child("part").label.text, "adrift")
      for _, spawned in ipairs { convoy, tank, ship } do
        spawned:destroy()
      end
    end,
    ["an unknown child in world.spawn is an error that suggests the nearest name, and nothing is spawned"] = function(t)
      local count = world.count("tank")
      local function check_refused(overrides, ...)
        t.fails(function() world.spawn("tank", { children = overrides }) end, ...)
      end
      check_refused({ turet = {} }, "tank has no child turet (did you mean turret?)", "available: turret")
      check_refused({ [2] = {} }, "tank has no child 2", "available: turret")
      check_refused({ turret = { children = { gun = {} } } }, "unknown child gun", "tank/turret has no children")
      check_refused({ turret = { helth = {} } }, "unknown component helth", "did you mean health?")
      check_refused({ turret = { health = { pp = 3 } } }, "health has no field pp")
      check_refused({ turret = 3 }, "the values of the child turret must be a table", "got 3")
      check_refused(5, "children must be a table, got 5")
      t.fails(function() world.spawn(nil, { children = { a = {} } }) end, "unknown child a",
        "an entity without an assemblage has no children")
      t.equal(world.count("tank"), count)
    end,
    ["a parent without a transform gets one for its children"] = function(t)
      local e = world.spawn("bare_parent")
      t.is_true(e:has("transform"))
      t.equal(#e:children(), 2)
      e:destroy()
      t.equal(world.count("transform"), 0)
    end,
  },
  inside = {
    ["an entity whose spawn is queued accepts values by field, e:set and e:add"] = function(t)
      local e = world.spawn("tank")
      e.health.hp = 1
      e:set("gun", { heat = 8 }, "left")
      e:add("shield", { power = 2 })
      t.wait()
      t.equal(e.health.hp, 1)
      t.equal(e.gun.left.heat, 8)
      t.equal(e.shield.power, 2)
      e:destroy()
      t.wait()
    end,
  },
}

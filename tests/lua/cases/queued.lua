-- Entities spawned in a system, before the system ends.

-- Returns everything that a script can read from an entity, except derived fields.
local function read_all(e)
  local children = {}
  for i, child in ipairs(e:children()) do
    children[i] = tostring(child) .. read_all(child)
  end
  return ("%s %s %s %s %s {%s}"):format(tostring(e:assemblage()), tostring(e:state()), tostring(e:name()),
    tostring(e:parent()), e:json(), table.concat(children, ", "))
end

-- Checks that entities read the same before and after the end of the system.
local function check_same_after_system(t, list)
  local expected = {}
  for i, e in ipairs(list) do
    expected[i] = read_all(e)
  end
  t.wait()
  for i, e in ipairs(list) do
    t.equal(read_all(e), expected[i])
    e:destroy()
  end
  t.wait()
end

-- Changes to an entity, chosen at random. An invalid change raises an error, which the test ignores.
local CHANGES = {
  function(e) e:add("label", { text = "l" .. world.random(9) }) end,
  function(e) e:add("shield", { power = world.random(9) }) end,
  function(e) e:add "frozen" end,
  function(e) e:add("gun", { heat = world.random(9) }, "rear") end,
  function(e) e:add("likes", world.single.chosen.one, { strength = world.random(9) }) end,
  function(e) e:remove "likes" end,
  function(e) e:remove "shield" end,
  function(e) e:remove "gun" end,
  function(e) e:remove("gun", "left") end,
  function(e) if e:has "label" then e.label.text = "written" end end,
  function(e) if e:has "shield" then e.shield.power = world.random(9) end end,
  function(e) if e:has "shield" then e:set("shield", { power = world.random(9) }) end end,
  function(e) if e:has "transform" then e.transform.x = world.random(9) end end,
  function(e) e:set("name", { value = "n" .. world.random(9) }) end,
  function(e) if e:has "shield" then e:disable "shield" end end,
  function(e) if e:has "shield" then e:enable "shield" end end,
  function(e) if e:state() then e:enter(world.random() < 0.5 and "armed" or "shielded") end end,
  function(e) if e:state() then e:enter "unarmed" end end,
  function(e) if e:child "turret" then e:child("turret").transform.y = world.random(9) end end,
}

return {
  inside = {
    ["components, values, children, name and state of a queued entity read the same as after the system"] = function(t)
      local parent = world.spawn("keeper")
      check_same_after_system(t, {
        world.spawn("rock", { transform = { x = 3 }, name = "pebble", health = false }),
        world.spawn("tank", { gun = { left = { heat = 7 } }, children = { turret = { label = "t" } } }),
        world.spawn("convoy"), world.spawn("larger_crew"), world.spawn("bare_parent"), world.spawn("ship"), parent,
        world.spawn(nil, { transform = { parent = parent }, nozzle = { a = { colour = { 4, 5, 6 }, kind = "flat" } } }),
        world.spawn(nil, { every_type = { b = false, e = parent, s = "s", n = "two", v3 = { 7, 8, 9 }, a = "b.png" } }),
        world.spawn(),
        unpack(world.spawn_many("tank", 3, function(q) q.health.hp[2] = 4 end)),
      })
    end,
    ["fields, vectors, instances and lookups of a queued entity can be read and written"] = function(t)
      local rock, target = world.spawn("rock"), world.spawn("rock")
      local e = world.spawn(nil, { transform = {}, tuned = {}, gun = { left = { heat = 2 } },
        nozzle = { a = {} }, sprite = {}, target = { entity = target } })
      t.is_true(e.target.entity == target)
      t.equal(e.gun.left.heat, 2)
      e.gun.left.heat = 3
      t.equal(e.gun.left.heat, 3)
      t.fails(function() return e.gun.right.heat end, "has no gun named", "available: left")
      e.nozzle.a.colour = { 4, 5, 6 }
      e.nozzle.a.colour.y = 7
      e.nozzle.a.kind, e.nozzle.a.target = "flat", rock
      t.equal(e.nozzle.a.colour.x .. " " .. e.nozzle.a.colour.y, "4 7")
      t.equal(e.nozzle.a.kind, "flat")
      t.equal(e.nozzle.a.target, rock)
      e.sprite.tint.w = 0.5
      t.equal(e.sprite.tint.w, 0.5)
      t.equal(e.tuned.aim.z, 3)
      local power = world.lookup("health").hp
      t.equal(power[rock], 100)
      power[rock] = 90
      t.equal(rock.health.hp, 90)
      t.is_true(tostring(rock.health):find("hp = 90", 1, true) ~= nil)
      t.fails(function() return e.transform.world end, "transform.world", "computed when this system ends")
      t.fails(function() return rock.shield end, "has no shield")
      rock:remove("health")
      t.is_false(rock:has("health"))
      t.fails(function() return rock.health.hp end, "has no health")
      check_same_after_system(t, { e, rock, target })
    end,
    ["pairs and states of a queued entity can be read"] = function(t)
      local apples, pears = world.spawn("rock"), world.spawn("rock")
      local e = world.spawn("keeper")
      e:add("likes", apples, { strength = 4 })
      t.is_true(e:has("likes", apples))
      t.is_false(e:has("likes", pears))
      t.equal(e:state(), "armed")
      e.shield.power = 8
      e:enter "unarmed"
      t.equal(e:state(), "unarmed")
      t.is_false(e:has "shield")
      e:enter "armed"
      t.equal(e.shield.power, 8)
      check_same_after_system(t, { e, apples, pears })
    end,
    ["children of a queued entity have their final ids and can be moved to a different parent"] = function(t)
      local a, b = world.spawn("convoy"), world.spawn("rock")
      local lead = a:child "lead"
      local turret = lead:child "turret"
      t.equal(turret:parent(), lead)
      t.equal(turret.transform.y, 8)
      lead.transform.parent = b
      t.equal(lead:parent(), b)
      t.equal(a:child "lead", nil)
      t.equal(b:children()[1], lead)
      t.wait()
      t.equal(b:children()[1], lead)
      t.equal(lead:child "turret", turret)
      t.equal(turret:parent(), lead)
      a:destroy()
      b:destroy()
    end,
    ["a queued entity reads the same after more than four consecutive spawns, and after an error"] = function(t)
      local list = {}
      for i = 1, 40 do
        list[i] = world.spawn("rock", { transform = { x = i } })
        if i % 7 == 0 then
          t.equal(list[i - 3].transform.x, i - 3)
          list[i - 2].transform.x = -i
        end
      end
      t.fails(function() world.run("demand_free", { define = "dropped" }) end, "defined and thrown")
      t.equal(list[40].transform.x, 40)
      check_same_after_system(t, list)
    end,
    ["random changes of queued entities read the same before and after the system ends"] = function(t)
      local names = { "rock", "tank", "keeper", "convoy", "bare_parent", "heavy_tank", "pebble" }
      for _ = 1, 40 do
        local list = { world.spawn("rock") }
        world.single.chosen.one = list[1]
        for _ = 1, world.random(30) do
          if world.random() < 0.3 then
            list[#list + 1] = world.spawn(names[world.random(#names)])
          elseif world.random() < 0.1 then
            for _, e in ipairs(world.spawn_many("tank", 3)) do
              list[#list + 1] = e
            end
          else
            local e = list[world.random(#list)]
            pcall(CHANGES[world.random(#CHANGES)], e)
            if world.random() < 0.2 then
              read_all(e)
            end
          end
        end
        check_same_after_system(t, list)
      end
      world.single.chosen.one = shoal.none
    end,
  },
}

-- Scenes as text: world.export and world.import.
local function destroy(list)
  for _, e in ipairs(list) do
    e:destroy()
  end
end

-- Marks these entities and returns the export of all marked entities.
local function export_marked(list)
  for _, e in ipairs(list) do
    e:add("marker")
  end
  return world.export(nil, { "marker" })
end

return {
  outside = {
    ["world.export writes only values that differ from the assemblage"] = function(t)
      local e = world.spawn("rock", { motion = { vy = 0.1 } })
      local text = export_marked { e }
      t.equal(text, '{\n  "format": 1,\n  "entities": [\n    {\n      "assemblage": "rock",\n      "components": {\n'
        .. '        "marker": {},\n        "motion": { "vy": 0.1 }\n      }\n    }\n  ]\n}\n')
      e:destroy()
    end,
    -- Source of this test (see engine/docs/sources.md): Denys, scene serialization.
    ["an imported scene is spawned immediately and exports to the same text"] = function(t)
      local tank = world.spawn("heavy_tank")
      tank:enter("stuck")
      tank.gun.left.heat = 0.3
      tank:add("gun", { cooldown = 4 }, "spare")
      tank:remove("gun", "rear")
      tank:children()[1].transform.y = 11
      local other = world.spawn("rock", { transform = { parent = tank },
        nozzle = { a = { target = tank, kind = "flat" } },
        label = { text = "zürich\n\"quoted\"" },
        every_type = { n = "two", v3 = { 4, 5, 6 }, i8 = -100, d = 1 / 3, b = false } })
      local text = export_marked { tank, other }
      destroy { other, tank }
      local made = world.import(text)
      t.equal(#made, 2)
      t.equal(made[1]:state(), "stuck")
      t.near(made[1].gun.left.heat, 0.3)
      t.equal(made[1].gun.spare.cooldown, 4)
      t.fails(function() return made[1].gun.rear.heat end, "rear")
      t.equal(made[1]:children()[1].transform.y, 11)
      t.equal(made[2]:parent(), made[1])
      t.equal(made[2].nozzle.a.target, made[1])
      t.equal(made[2].nozzle.a.kind, "flat")
      t.equal(made[2].label.text, "zürich\n\"quoted\"")
      t.equal(made[2].every_type.v3.y, 5)
      t.equal(made[2].every_type.d, 1 / 3)
      t.equal(export_marked(made), text)
      destroy(made)
    end,
    ["world.import resolves references to named children and returns entities by id and name"] = function(t)
      local tank, boss = world.spawn("heavy_tank"), world.spawn("rock", { name = "boss" })
      local turret = tank:children()[1]
      t.equal(turret:name(), "turret")
      boss:add("target", { entity = turret })
      local text = export_marked { tank, boss }
      destroy { boss, tank }
      local made, named = world.import(text)
      t.equal(made[2].target.entity, made[1]:children()[1])
      t.equal(named.boss, made[2])
      t.equal(named[text:match '"id": "([^"]+)"'], made[1]:children()[1])
      t.equal(export_marked(made), text)
      destroy(made)
    end,
    ["world.import of invalid text spawns nothing and raises an error that names the line"] = function(t)
      local before = world.hash()
      t.fails(function() world.import('{ "entities": [\n{ "assemblage": "rock" },\n{ "assemblage": "rok" } ] }') end,
        "line 3", "entity 2", "rok")
      t.fails(function() world.import('{ "entities": [ { "components": { "motion": { "vx": "fast" } } } ] }') end,
        "line 1", "vx", "fast")
      t.fails(function() world.import("[1, 2") end, "invalid JSON")
      t.fails(function() world.import(7) end, "text")
      t.fails(function() world.import("../outside") end, "invalid save name")
      t.fails(function() world.import("never saved") end, "never saved")
      t.fails(function() world.export("../outside") end, "invalid save name")
      t.fails(function() world.export(7) end, "name")
      t.equal(world.hash(), before)
    end,
    ["references to entities outside the text are resolved by id while the entity lives, and by name"] = function(t)
      local guard, boss, anon = world.spawn("rock"), world.spawn("rock", { name = "overlord" }), world.spawn("rock")
      local rider = world.spawn("rock", { transform = { parent = boss } })
      guard:add("target", { entity = anon })
      guard:add("nozzle", { target = boss }, "a")
      local text = export_marked { guard, rider }
      local made, _, lost = world.import(text)
      t.equal(made[1].target.entity, anon)
      t.equal(made[1].nozzle.a.target, boss)
      t.equal(made[2]:parent(), boss)
      t.equal(#lost, 0)
      destroy(made)
      boss:destroy()
      anon:destroy()
      local other = world.spawn("rock", { name = "overlord" })
      made, _, lost = world.import(text)
      t.equal(made[1].nozzle.a.target, other)
      t.equal(made[2]:parent(), other)
      t.equal(made[1].target.entity, shoal.none)
      t.equal(#lost, 1)
      t.equal(lost[1], "entity 1: target.entity refers to rock")
      destroy(made)
      destroy { guard, other }
    end,
    ["a reference to a name that several entities have is not resolved"] = function(t)
      local guard, boss = world.spawn("rock"), world.spawn("rock", { name = "twin" })
      guard:add("target", { entity = boss })
      local text = export_marked { guard }
      boss:destroy()
      local twins = { world.spawn("rock", { name = "twin" }), world.spawn("rock", { name = "twin" }) }
      local made, _, lost = world.import(text)
      t.equal(made[1].target.entity, shoal.none)
      t.equal(lost[1], "entity 1: target.entity refers to rock twin")
      destroy(made)
      destroy(twins)
      destroy { guard }
    end,
    ["world.import reads what world.export has written in the same tick"] = function(t)
      local e = world.spawn("rock", { motion = { vy = 0.25 }, marker = {} })
      world.export("same_tick", { "marker" })
      local made = world.import("same_tick")
      t.equal(made[1].motion.vy, 0.25)
      e.motion.vy = 0.5
      world.export("same_tick", { "marker" })
      destroy(made)
      made = world.import("same_tick")
      t.equal(made[1].motion.vy, 0.5)
      destroy(made)
      e:destroy()
    end,
    ["world.import skips metadata components"] = function(t)
      local made = world.import('{ "entities": [ { "components": { "author": { "name": "Ann" } } } ] }')
      t.equal(#made, 1)
      destroy(made)
    end,
  },
  inside = {
    ["in a system, imported entities get their components when the system ends"] = function(t)
      local made = world.import('{ "entities": [ { "assemblage": "rock", "components": { "motion": { "vx": 9 } } } ] }')
      t.is_true(made[1]:alive())
      t.wait()
      t.equal(made[1].motion.vx, 9)
      destroy(made)
      t.wait()
    end,
    ["a scene file can be written in JSON"] = function(t)
      world.scene("loft")
      t.wait(2)
      local boss = world.find("boss")
      t.equal(boss.health.hp, 3)
      t.equal(boss.target.entity, boss)
      t.equal(boss:children()[2]:assemblage(), "rock")
      for _, name in ipairs { "health", "label" } do
        for e in world.each(name) do
          e:destroy()
        end
      end
      t.wait(2)
    end,
  },
}

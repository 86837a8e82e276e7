return {
  outside = {
    ["world.sql returns a table per row"] = function(t)
      local a = world.spawn("rock", { health = { hp = 3 } })
      local b = world.spawn("rock", { health = { hp = 8 } })
      local rows = world.sql("SELECT entity, hp FROM health WHERE hp < ? AND entity IN (?, ?) ORDER BY hp DESC",
        10, a, b)
      t.equal(#rows, 2)
      t.equal(rows[1].entity, b)
      t.equal(rows[1].hp, 8)
      t.equal(rows[2].entity, a)
      t.equal(rows[2].entity.health.hp, 3)
      a:destroy()
      b:destroy()
      t.equal(#world.sql("SELECT 1 FROM health WHERE entity = ?", a), 0)
    end,
    ["world.sql returns every type as scripts represent it"] = function(t)
      local other = world.spawn()
      local e = world.spawn(nil, { every_type = { e = other, b = false, u32 = 4000000000, s = "it's", n = "two" } })
      local row = world.sql("SELECT * FROM every_type WHERE entity = ?", e)[1]
      t.equal(row.entity, e)
      t.equal(row.e, other)
      t.is_false(row.b)
      t.is_true(row.plain)
      t.equal(row.u32, 4000000000)
      t.equal(row.i8, -3)
      t.equal(row.f, 1.5)
      t.equal(row.d, 0.1)
      t.equal(row.s, "it's")
      t.equal(row.n, "two")
      t.equal(row.a, "a.png")
      t.equal(row.v2_x, 1)
      t.equal(row.v4_w, 4)
      t.equal(#row.m, 16)
      t.equal(row.m[1], 1)
      t.equal(row.m[2], 0)
      e:destroy()
      other:destroy()
    end,
    ["world.sql returns shoal.none for an empty entity field and nil for NULL"] = function(t)
      local e = world.spawn(nil, { target = {} })
      local row = world.sql(
        "SELECT t.entity_ AS aim, h.hp FROM target t LEFT JOIN health h USING (entity) WHERE entity = ?", e)[1]
      t.equal(row.aim, shoal.none)
      t.equal(row.hp, nil)
      e:destroy()
    end,
    ["world.sql reads entities, assemblages and components"] = function(t)
      local tank = world.spawn("tank", { name = "old one" })
      local row = world.sql("SELECT * FROM entities WHERE entity = ?", tank)[1]
      t.equal(row.name, "old one")
      t.equal(row.assemblage, "tank")
      t.equal(row.state, "alive")
      local guns = world.sql("SELECT instance, heat FROM gun WHERE entity = ? ORDER BY instance", tank)
      t.equal(guns[1].instance, "left")
      t.equal(guns[1].heat, 1)
      t.equal(guns[2].instance, "right")
      local parts = world.sql("SELECT component FROM entity_components WHERE entity = ? ORDER BY component", tank)
      t.equal(parts[1].component, "burning")
      local templates = world.sql(
        "SELECT count(*) AS n FROM assemblage_components WHERE assemblage = 'tank' AND component = 'gun'")
      t.equal(templates[1].n, 2)
      local value = "SELECT value FROM assemblage_values WHERE assemblage = 'tank' AND component = 'gun' AND "
        .. "instance = 'left' AND field = 'heat'"
      t.equal(world.sql(value)[1].value, 1)
      t.equal(world.sql("SELECT count(*) AS n FROM pragma_table_info('gun') WHERE name = 'heat'")[1].n, 1)
      t.equal(world.sql("SELECT kind FROM components WHERE name = 'score'")[1].kind, "single")
      t.equal(world.sql("SELECT best_y FROM score")[1].best_y, world.single.score.best.y)
      tank:destroy()
    end,
    ["a game's start function can only read with world.sql"] = function(t)
      t.fails(function() world.sql("DELETE FROM entities") end, "world.sql", "may only read")
      t.fails(function() world.sql("UPDATE score SET value = 1") end, "may only read", "score")
    end,
    ["an invalid SQL statement is an error"] = function(t)
      t.fails(function() world.sql("SELECT * FROM helth") end, "world.sql", "no such table: helth")
      t.fails(function() world.sql("SELECT mana FROM health") end, "no such column: mana")
      t.fails(function() world.sql("SELEC") end, "syntax error")
      t.fails(function() world.sql("SELECT 1; SELECT 2") end, "one statement")
      t.fails(function() world.sql("SELECT ?") end, "1 parameter", "0 values")
      t.fails(function() world.sql("SELECT ?", {}) end, "parameters must be numbers, strings")
      t.fails(function() world.sql(12) end, "expected a string", "got 12")
      t.fails(function() world.sql("SELECT random()") end, "random")
      t.fails(function() world.watch("SELEC") end, "world.watch", "syntax error")
    end,
    ["a statement that takes too many steps is stopped"] = function(t)
      t.fails(function()
        world.sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
      end, "more than 2000000 steps")
      t.equal(world.sql("SELECT 1 AS one")[1].one, 1)
    end,
    ["world.sql passes nil as NULL, booleans as numbers, and strings with zero bytes unchanged"] = function(t)
      local row = world.sql("SELECT ? IS NULL AS none, ? AS yes, ? AS text", nil, true, "a\0b")[1]
      t.equal(row.none, 1)
      t.equal(row.yes, 1)
      t.equal(#row.text, 3)
    end,
  },
  inside = {
    ["world.sql does not see queued changes"] = function(t)
      local e = world.spawn("rock")
      t.equal(#world.sql("SELECT 1 FROM motion WHERE entity = ?", e), 0)
      local entities = world.sql("SELECT COUNT(*) AS n FROM entities")[1].n
      t.equal(#world.sql("SELECT 1 FROM entities WHERE entity = ?", e), 0)
      t.wait()
      t.equal(world.sql("SELECT assemblage FROM entities WHERE entity = ?", e)[1].assemblage, "rock")
      t.equal(world.sql("SELECT COUNT(*) AS n FROM entities")[1].n, entities + 1)
      t.equal(#world.sql("SELECT 1 FROM motion WHERE entity = ?", e), 1)
      e:destroy()
    end,
    ["world.sql lists systems but hides measured times from scripts"] = function(t)
      t.wait(2)
      local row = world.sql("SELECT * FROM systems WHERE name = 'suite'")[1]
      t.equal(row.phase, "update")
      t.is_true(row.runs == nil and row.cost_us == nil)
      t.fails(function() world.sql("SELECT cost_us FROM systems") end, "measured", "cost_us")
      local order = world.sql("SELECT \"order\" AS n FROM systems WHERE name IN ('order_a', 'order_b') ORDER BY name")
      t.is_true(order[1].n < order[2].n)
    end,
    ["a system can only read with world.sql"] = function(t)
      t.fails(function() world.sql("UPDATE health SET hp = 1") end, "may only read")
    end,
  },
}

-- Nested records in components and events.
local seen = require("lib.seen")

return {
  outside = {
    -- Source of this test (see engine/docs/sources.md): Rectangle Eater.
    ["records nest fields of any type at any depth, as in e.appearance.colors.r"] = function(t)
      local e = world.spawn("sketch", { appearance = { colors = { deep = { label = "yo" } } } })
      local colors = e.appearance.colors
      t.equal(colors.r, 0.25)
      t.equal(colors.g, 0.75)
      t.equal(colors.b, 1)
      t.equal(colors.deep.kind, "loud")
      t.equal(colors.deep.label, "yo")
      t.equal(colors.deep.tint.a, 1)
      colors.r, colors.deep.tint = 4, "#ff0000"
      e.appearance.colors = { g = 5, deep = { kind = "plain" } }
      t.equal(e.appearance.colors.r .. " " .. e.appearance.colors.g .. " " .. colors.deep.kind, "4 5 plain")
      t.equal(colors.deep.label, "yo")
      t.equal(colors.deep.tint.y, 0)
      e:set("appearance", { colors = { deep = { label = "set" } }, size = 3 })
      t.equal(colors.deep.label .. e.appearance.size .. colors.r, "set34")
      t.equal(world.lookup("appearance").colors.r[e], 4)
      e:destroy()
    end,
    -- The check of the source must not mistake the field audio.music for the removed function of that name.
    ["a field of a record can have the name of a removed function"] = function(t)
      local options = { audio = { music = 0.5 } }
      t.equal(options.audio.music, 0.5)
    end,
    ["e:json and e:describe keep the nesting of records"] = function(t)
      local e = world.spawn("painting")
      e.appearance.colors.b = 0 / 0
      local made = json.decode(e:json())
      t.equal(made.components.appearance.colors.r, 0.25)
      t.equal(made.components.appearance.colors.b, "nan")
      t.equal(made.components.appearance.colors.deep.kind, "loud")
      t.equal(made.components.appearance.colors.deep.tint[4], 1)
      t.equal(made.components.dial.left.heat.now, 2)
      t.equal(e:describe().appearance.colors.deep.label, "hi")
      e.appearance.colors.deep.matrix = shoal.mat4.scaling(2, 3, 4)
      made = json.decode(e:json())
      local copy = world.spawn(made)
      t.equal(copy.appearance.colors.deep.matrix[6], 3)
      t.equal(json.encode(json.decode(copy:json()).components), json.encode(made.components))
      copy:destroy()
      e:destroy()
    end,
    ["SQL has a column for each field of a record"] = function(t)
      local e = world.spawn("painting")
      local row = world.sql("SELECT colors_r, colors_deep_tint_y AS y, colors_deep_kind AS kind FROM appearance "
        .. "WHERE entity = ?", e)[1]
      t.equal(row.colors_r + row.y, 1.25)
      t.equal(row.kind, "loud")
      e:destroy()
    end,
    ["scenes keep the nesting of records"] = function(t)
      local e = world.spawn("painting", { name = "mona", appearance = { colors = { b = 7, deep = { label = "x" } } } })
      e:add("burning")
      local text = world.export(nil, { "burning" })
      t.is_true(text:find('"appearance": { "colors": { "b": 7, "deep": { "label": "x" } } }', 1, true) ~= nil)
      e:destroy()
      local copy = world.import(text)[1]
      t.equal(copy.appearance.colors.b, 7)
      t.equal(copy.appearance.colors.deep.label .. copy.appearance.colors.r, "x0.25")
      copy:destroy()
      text = '{ "entities": [ { "components": { "appearance": { "colors": { "rr": 1, "b": 2 } } } } ] }'
      copy = world.import(text)[1]
      t.equal(copy.appearance.colors.b, 2) -- a warning names colors.rr
      copy:destroy()
    end,
    ["fields of records can be read and written in named instances and singletons"] = function(t)
      local e = world.spawn("painting")
      e.dial.left.heat.now = 7
      e.dial.left.heat = { max = 9 }
      t.equal(e.dial.left.heat.now + e.dial.left.heat.max, 16)
      e:add("dial", { heat = { now = 3 } })
      t.equal(e.dial.heat.now, 3)
      e:destroy()
      local mixer = world.single.mixer
      mixer.levels.tunes = 0.25
      mixer.levels = { effects = 3 }
      t.equal(mixer.levels.tunes + mixer.levels.effects, 3.25)
    end,
    ["an unknown name in a record is an error that suggests the nearest name"] = function(t)
      local e = world.spawn("painting")
      t.fails(function() return e.appearance.colrs end, "appearance has no field colrs (did you mean colors?)")
      t.fails(function() return world.spawn("painting").dial.left[""] end, "dial has no field")
      t.fails(function() return e.appearance.colors.deep.kid end, "appearance.colors.deep has no field kid",
        "did you mean kind?", "available: kind, label, matrix, tint")
      t.fails(function() e.appearance.colors = { q = 1 } end, "appearance.colors has no field q")
      t.fails(function() e.appearance.colors = 3 end, "appearance.colors must be a table of fields, got 3")
      t.fails(function() e.appearance.colors.deep.kind = "z" end, "appearance.colors.deep.kind", "plain, loud")
      t.fails(function() world.spawn("painting", { appearance = { colors = { deep = { lable = "" } } } }) end,
        "did you mean label?")
      t.fails(function() return e.appearance.colors + 1 end, "e.appearance.colors is not a single value")
      t.fails(function() world.emit("painted", { colors = { x = 1 } }) end, "event painted.colors has no field x")
      t.equal(e.appearance.colors.r, 0.25)
      e:destroy()
    end,
    ["world.spawn_many fills columns of records"] = function(t)
      local list = world.spawn_many("painting", 2, function(q)
        for i = 1, q.count do
          q.appearance.colors.r[i] = i
          q.appearance.colors.deep.tint[i] = { 0, 1, 0, 1 }
        end
        t.fails(function() return q.appearance.colors[1] end, "the row index comes last")
      end)
      t.equal(list[2].appearance.colors.r, 2)
      t.equal(list[1].appearance.colors.deep.tint.x, 0)
      list[1]:destroy()
      list[2]:destroy()
    end,
  },
  inside = {
    ["an event can contain a record, and a tween can change a field of a record"] = function(t)
      seen.take("painted")
      local e = world.spawn("painting")
      world.emit("painted", { who = e, colors = { r = 3 } })
      world.tween(e, "appearance.colors.r", 10, 0.02)
      t.wait(4)
      t.equal(seen.take("painted"), "painted 3 0.5")
      t.equal(e.appearance.colors.r, 10)
      e:destroy()
    end,
    ["native code reads and writes fields of records"] = function(t)
      local list = {}
      for i = 1, 300 do
        list[i] = world.spawn(nil, { marker = {}, target = { entity = list[i - 1] or shoal.none },
          appearance = { size = i, colors = { g = i } } })
      end
      list[1]:remove("target")
      t.wait(2)
      local colors = list[300].appearance.colors
      local g, b = colors.g, list[299].appearance.colors.b
      t.equal(colors.deep.tint.x, 0.125)
      t.equal(colors.deep.tint.y, colors.r + 1)
      t.equal(g, b + list[299].appearance.colors.r)
      t.wait()
      t.equal(colors.r, g * 2)
      t.equal(list[299].appearance.colors.b, b + 299)
      for _, e in ipairs(list) do
        e:destroy()
      end
    end,
  },
}

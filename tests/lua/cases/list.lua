-- Lists in components, singletons, named instances and events.
local seen = require("lib.seen")

-- Returns the values as text: "1 2 3".
local function join_values(items)
  local out = {}
  for k = 1, #items do
    out[k] = tostring(items[k])
  end
  return table.concat(out, " ")
end

return {
  outside = {
    ["a list has a length, and its values can be read, written, appended and removed"] = function(t)
      local e = world.spawn(nil, { bag = { items = { 5, 6 } } })
      local items = e.bag.items
      t.equal(#items, 2)
      t.equal(items[1] + items[2], 11)
      t.equal(items[3], nil)
      t.equal(items[9], nil)
      items:add(7)
      items[1] = 4
      t.equal(join_values(items), "4 6 7")
      t.equal(items:remove(1), 4)
      t.equal(join_values(items), "6 7")
      e.bag.items = { 1, 2, 3, 4 }
      e.bag.items = { 9 }
      t.equal(join_values(items), "9")
      e.bag.items = items
      e:set("bag", { items = { 2, 2 } })
      t.equal(join_values(items), "2 2")
      local sum = 0
      for k, v in ipairs(items) do
        sum = sum + k * v
      end
      t.equal(sum, 6)
      t.is_true(tostring(items):find("bag.items of entity", 1, true) ~= nil)
      t.is_true(tostring(e.bag):find("items = { 2, 2 }", 1, true) ~= nil)
      e:destroy()
    end,
    ["invalid indices and a full list are errors that change nothing"] = function(t)
      local e = world.spawn(nil, { bag = { items = { 1, 2, 3 } } })
      local items = e.bag.items
      t.fails(function() return items[0] end, "index 0 of bag.items is out of range", "expected 1 to 3")
      t.fails(function() return items[-1] end, "index -1")
      t.fails(function() return items[1.5] end, "index 1.5")
      t.fails(function() return items.first end, "bag.items is a list and has no field first")
      t.fails(function() items[0] = 4 end, "index 0 of bag.items")
      t.fails(function() items[4] = 4 end, "bag.items has 3 values", "items:add(v)")
      t.fails(function() items[6] = 4 end, "index 6 of bag.items")
      t.fails(function() items[2] = nil end, "cannot be nil", "items:remove(2)")
      t.fails(function() items[2] = "x" end, "bag.items[2] must be a number, got text \"x\"")
      t.fails(function() items:add() end, "bag.items[4] must be a number, got nil")
      t.fails(function() items.add(4) end, "call it with a colon")
      t.fails(function() items:remove(4) end, "index 4 of bag.items")
      t.fails(function() items:remove() end, "bag.items")
      t.fails(function() return items + 1 end, "not a single value")
      t.fails(function() e.bag.items = 4 end, "bag.items must be a list of up to 8 values, got 4")
      t.fails(function() e.bag.items = { 1, 2, x = 3 } end, "bag.items must be a list without gaps, got the key x")
      t.fails(function() e.bag.items = { 1, nil, 3 } end, "the key 3")
      t.fails(function() e.bag.items = { 1, "two" } end, "bag.items[2] must be a number")
      t.fails(function() e.bag.items = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } end,
        "too many values for bag.items: 9 (at most 8)")
      t.equal(join_values(items), "1 2 3")
      for k = 4, 8 do
        items:add(k)
      end
      t.fails(function() items:add(9) end, "too many values in bag.items: 9 (at most 8)")
      t.equal(join_values(items), "1 2 3 4 5 6 7 8")
      e:destroy()
    end,
    ["values of a list can have any type except vectors and matrices"] = function(t)
      local other = world.spawn("pebble")
      local e = world.spawn(nil, { bag = { names = { "a", "b" }, deep = { kinds = { "a" }, flags = { true, false },
        near = { other, shoal.none } } } })
      local bag = e.bag
      t.equal(bag.names[2] .. bag.deep.kinds[1], "ba")
      t.is_true(bag.deep.flags[1] and not bag.deep.flags[2])
      t.is_true(bag.deep.near[1] == other and bag.deep.near[2] == shoal.none)
      bag.deep.kinds:add("b")
      bag.names[1] = "zoe"
      bag.deep = { flags = { true } }
      t.equal(bag.deep.kinds[2] .. bag.names[1] .. #bag.deep.flags, "bzoe1")
      t.fails(function() bag.deep.kinds:add("bb") end, "bag.deep.kinds[3] must be one of a, b", "did you mean b?")
      t.equal(#world.spawn(nil, { bag = {} }).bag.deep.kinds, 1)
      e:destroy()
      other:destroy()
    end,
    ["min and max apply to each value of a list"] = function(t)
      local e = world.spawn(nil, { bag = {} })
      local dice = e.bag.dice
      t.equal(join_values(dice), "6 1")
      dice:add(9)
      dice[2] = -4
      t.equal(join_values(dice), "6 1 6")
      e.bag.dice = { 0, 7, 3 }
      t.equal(join_values(dice), "1 6 3")
      e:destroy()
    end,
    ["unused values of a list are zero, so that equal lists have equal hashes"] = function(t)
      local e = world.spawn(nil, { bag = { items = { 1 }, names = { "a" } } })
      e.bag.names = { "longer", "names" } -- the hash includes the table of strings
      e.bag.names = { "a" }
      local before = world.hash()
      for _ = 1, 3 do
        e.bag.items:add(77)
      end
      e.bag.names = { "a", "longer", "names" }
      t.is_true(world.hash() ~= before)
      e.bag.items = { 1 }
      e.bag.names:remove(2)
      e.bag.names:remove(2)
      t.equal(world.hash(), before)
      e.bag.items = { 1, 2, 3 }
      local s = world.snapshot()
      e.bag.items:remove(1)
      world.restore(s)
      t.equal(join_values(e.bag.items), "1 2 3")
      e:destroy()
    end,
    ["lists can be used in instances, singletons and lookups"] = function(t)
      local e = world.spawn(nil, { pouch = { left = { items = { 1.5 } }, right = {} } })
      e.pouch.left.items:add(2)
      e.pouch.right.items = { 3 }
      t.equal(join_values(e.pouch.left.items) .. " " .. join_values(e.pouch.right.items), "1.5 2 3")
      t.equal(e.pouch.left.items[3], nil)
      local shelf = world.single.shelf
      shelf.items:add(4)
      shelf.deep.names = { "x" }
      shelf.deep.names:add("y")
      shelf.deep = { names = { "z", shelf.deep.names[2] } }
      t.equal(#shelf.items .. join_values(shelf.deep.names), "1z y")
      shelf.items, shelf.deep.names = {}, {}
      local b = world.spawn(nil, { bag = { items = { 8 } } })
      local lookup = world.lookup("bag")
      lookup.items[b]:add(9)
      t.equal(join_values(lookup.items[b]), "8 9")
      t.equal(lookup.items[e], nil)
      lookup.items[b] = { 1 }
      t.equal(#b.bag.items, 1)
      b:destroy()
      e:destroy()
    end,
    ["lists can be used in e:json, e:describe, scenes and assemblages"] = function(t)
      local e = world.spawn("sack", { name = "sacky" })
      t.equal(join_values(e.bag.items) .. #e.bag.names, "3 40")
      e.bag.names:add("a")
      e:add("burning")
      t.is_true(e:json():find('"items":[3,4]', 1, true) ~= nil and e:json():find('"near":[]', 1, true) ~= nil)
      t.equal(json.encode(e.bag.items), "[3,4]")
      t.equal(#e:describe().bag.names, 1)
      local copy = world.spawn(json.decode(e:json()))
      t.equal((copy:json():gsub('"id":%d+', "")), (e:json():gsub('"id":%d+', "")))
      copy:destroy()
      local written = world.export(nil, { "burning" })
      t.is_true(written:find('"names": ["a"]', 1, true) ~= nil)
      t.is_true(written:find('"items"', 1, true) == nil)
      e.bag.items = {}
      written = world.export(nil, { "burning" })
      t.is_true(written:find('"items": []', 1, true) ~= nil)
      e:destroy()
      copy = world.import(written)[1]
      t.equal(#copy.bag.items .. join_values(copy.bag.names), "0a")
      copy:destroy()
      t.fails(function()
        world.import('{ "entities": [ { "components": { "bag": { "items": [1, 2, 3, 4, 5, 6, 7, 8, 9] } } } ] }')
      end, "too many values for items: 9 (at most 8)")
      t.fails(function()
        world.import('{ "entities": [ { "components": { "bag": { "items": 4 } } } ] }')
      end, "items must be a list of up to 8 values")
    end,
    ["SQL has one column of JSON text for a list"] = function(t)
      local e = world.spawn(nil, { bag = { items = { 5, 6 }, names = { "a\"b" }, deep = { flags = { true } } } })
      local row = world.sql("SELECT items, names, deep_flags, deep_near FROM bag WHERE entity = ?", e)[1]
      t.equal(row.items .. row.names .. row.deep_flags .. row.deep_near, '[5,6]["a\\"b"][true][]')
      t.equal(world.sql("SELECT sum(value) AS sum FROM bag, json_each(bag.items) WHERE entity = ?", e)[1].sum, 11)
      e:destroy()
    end,
    ["a destroyed entity is cleared from lists"] = function(t)
      local a, b = world.spawn("pebble"), world.spawn("pebble")
      local e = world.spawn(nil, { bag = { deep = { near = { a, b, a } } } })
      a:destroy()
      local near = e.bag.deep.near
      t.is_true(#near == 3 and near[1] == shoal.none and near[2] == b and near[3] == shoal.none)
      b:destroy()
      e:destroy()
    end,
    ["world.spawn_many fills lists"] = function(t)
      local list = world.spawn_many("sack", 3, function(q)
        for i = 1, q.count do
          q.bag.items[i]:add(i)
          q.bag.names[i] = { "n" .. i }
          t.equal(#q.bag.items[i], 3)
        end
        t.fails(function() q.bag.items[1]:remove(9) end, "index 9 of bag.items")
        t.fails(function() return q.bag.items[9] end, "out of range")
        t.fails(function() return q.bag.items.first end, "the row index comes first")
      end)
      t.equal(join_values(list[3].bag.items) .. list[2].bag.names[1], "3 4 3n2")
      for i = 1, 3 do
        list[i]:destroy()
      end
    end,
    ["random changes of lists match the same changes of tables"] = function(t)
      local e, model, saved, saved_model = world.spawn(nil, { bag = {} }), {}, nil, nil
      for step = 1, 2000 do
        local what, n = world.random(6), #model
        if what <= 2 and n < 8 then
          model[n + 1] = world.random(100)
          e.bag.items:add(model[n + 1])
        elseif what == 3 and n > 0 then
          local k = world.random(n)
          t.equal(e.bag.items:remove(k), table.remove(model, k))
        elseif what == 4 and n > 0 then
          local k = world.random(n)
          model[k] = step
          e.bag.items[k] = step
        elseif what == 5 and step % 7 == 0 then
          saved, saved_model = world.snapshot(), { unpack(model) }
        elseif what == 5 and step % 11 == 0 then
          model = { step, 2 }
          e.bag.items = model
          model = { step, 2 }
        elseif what == 6 and saved and step % 5 == 0 then
          world.restore(saved)
          model = { unpack(saved_model) }
        end
        t.equal(join_values(e.bag.items), join_values(model))
      end
      e:destroy()
    end,
  },
  inside = {
    ["lists of an entity spawned in the same system can be changed"] = function(t)
      local e = world.spawn("sack", { bag = { names = { "b" } } })
      e.bag.items:add(5)
      e.bag.items:remove(1)
      e.bag.names[1] = "c"
      e.bag.deep = { flags = { true, true } }
      t.equal(join_values(e.bag.items) .. e.bag.names[1] .. #e.bag.deep.flags, "4 5c2")
      t.wait()
      t.equal(join_values(e.bag.items) .. e.bag.names[1] .. #e.bag.deep.flags, "4 5c2")
      local list = e.bag.items
      t.equal(join_values(list), "4 5")
      e:destroy()
    end,
    ["native code reads and writes lists and adds values"] = function(t)
      local list, model = {}, {}
      for i = 1, 300 do
        local items = {}
        for k = 1, i % 9 do
          items[k] = i + k
        end
        list[i] = world.spawn(nil, { marker = {}, stocked = {}, target = { entity = list[i - 1] or shoal.none },
          bag = { counts = items, deep = { flags = { i % 2 == 0 } } } })
        model[i] = items
      end
      list[1]:remove("target")
      for _ = 1, 3 do
        for i = 1, 300 do
          local items, sum = model[i], 0
          for k = 1, #items do
            sum = sum + items[k] * k
          end
          if #items > 1 then
            items[2] = sum
            items[#items] = items[#items] + 1
          end
        end
        for i = 2, 300 do
          local items, other = model[i], model[i - 1]
          if i % 2 == 0 and #items > 0 and #items < 8 then
            items[1] = items[1] + (other[1] or 0) + #other
          end
          if #other == 8 and #items < 8 then
            items[#items + 1] = 5
          end
        end
        t.wait()
      end
      for i = 1, 300 do
        t.equal(join_values(list[i].bag.counts), join_values(model[i]))
        list[i]:destroy()
      end
    end,
    ["events can contain lists, and systems can read and write the lists of rows"] = function(t)
      seen.take("stuffed")
      local e = world.spawn("sack", { marker = {} })
      world.emit("stuffed", { who = e, items = { 1, 2 }, more = { names = { "x" } } })
      t.wait(3)
      t.equal(seen.take("stuffed"), "stuffed 1 2 x")
      t.equal(join_values(e.bag.items), "3 4 2 9")
      e:destroy()
    end,
  },
}

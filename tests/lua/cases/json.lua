-- json.encode, json.decode, and e:json, which returns an entity as JSON with all its components.
local function check_round_trip(t, v)
  t.equal(json.encode(json.decode(json.encode(v))), json.encode(v))
end

local function json_without_ids(e)
  return (e:json():gsub('"id":%d+', '"id":0'))
end

return {
  outside = {
    -- Source of this test (see engine/docs/sources.md): Rectangle Eater, "entities as data, printed as JSON".
    ["e:json() contains all fields, including defaults"] = function(t)
      local e = world.spawn("tank", { transform = { x = 0.1 }, health = { hp = 50 } })
      local text = e:json()
      t.is_true(text:find('"health":{"hp":50,"max":100}', 1, true) ~= nil)
      local guns = '"gun":{"left":{"cooldown":0.25,"heat":1},"right":{"cooldown":0.25,"heat":0}}'
      t.is_true(text:find(guns, 1, true) ~= nil)
      t.is_true(text:find('"x":0.1,', 1, true) ~= nil)
      local back = json.decode(text).components
      t.equal(back.burning.heat, 1)
      local turret = json.decode(e:children()[1]:json())
      t.equal(turret.parent, json.decode(text).id)
      local again = world.spawn(nil, { transform = { x = back.transform.x }, gun = back.gun, health = back.health })
      t.equal(again.transform.x, e.transform.x)
      t.equal(again.gun.left.heat, 1)
      e:children()[1]:destroy()
      e:destroy()
      again:destroy()
    end,
    ["every field type has a JSON form"] = function(t)
      local e = world.spawn(nil, { every_type = { f = 1 / 0, d = -0.1, s = 'a "b"\n\\é', e = shoal.none } })
      local back = json.decode(e:json()).components.every_type
      t.equal(back.f, "inf")
      t.equal(back.d, -0.1)
      t.equal(back.s, 'a "b"\n\\é')
      t.equal(back.e, 0)
      t.equal(back.n, "one")
      t.is_true(back.b)
      t.equal(back.u32, 4000000000)
      t.equal(back.v3[3], 3)
      t.equal(#back.q, 4)
      e:destroy()
    end,
    ["world.spawn(json.decode(e:json())) spawns an equal entity"] = function(t)
      local other = world.spawn("rock", { name = "other" })
      local e = world.spawn("tank", { name = "boss", health = { hp = 1 / 0 }, gun = { rear = { heat = 2 } },
        label = { text = "l" }, every_type = { e = other, n = "two", f = 0 / 0, d = -1 / 0 } })
      e:remove "motion"
      e:remove("gun", "left")
      e.every_type.m = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 }
      local copy = world.spawn(json.decode(e:json()))
      t.equal(json_without_ids(copy), json_without_ids(e))
      t.equal(copy:assemblage(), "tank")
      t.equal(copy:name(), "boss")
      t.equal(copy.every_type.e, other)
      t.equal(copy.every_type.m[16], 16)
      t.is_true(copy.every_type.f ~= copy.every_type.f)
      t.is_true(not copy:has "motion")
      t.is_true(#copy:children() == #e:children())
      other:destroy()
      t.equal(json.decode(e:json()).components.every_type.e, 0)
      e:destroy()
      copy:destroy()
    end,
    ["e:json { children = true } contains children and maps references between them"] = function(t)
      local e = world.spawn("tank")
      local turret = e:children()[1]
      turret:add("label", { text = "mine" })
      turret:add("every_type", { e = e })
      e:add("every_type", { e = turret })
      local copy = world.spawn(json.decode(e:json { children = true }))
      local its = copy:children()[1]
      t.equal(copy.every_type.e, its)
      t.equal(its.every_type.e, copy)
      t.equal(its.label.text, "mine")
      t.is_true(e:json():find("children", 1, true) == nil)
      turret:destroy()
      local without = world.spawn(json.decode(e:json { children = true }))
      t.equal(#without:children(), 0)
      t.fails(function() e:json { childen = true } end, "e:json has no option childen (did you mean children?)")
      t.fails(function() e:json(true) end, "the options must be a table")
      e:destroy()
      copy:destroy()
      without:destroy()
    end,
    ["world.spawn reports unknown names in JSON with the nearest name and spawns nothing"] = function(t)
      local before = world.count "rock"
      local function check_fails(item, ...)
        t.fails(function() world.spawn(json.decode(item)) end, "world.spawn: ", ...)
      end
      check_fails('{ "assemblage": "rok" }', "unknown assemblage", "did you mean rock?")
      check_fails('{ "assemblage": "rock", "components": { "helth": {} } }', "unknown component",
        "did you mean health?")
      check_fails('{ "assemblage": "rock", "components": { "health": { "hq": 1 } } }', "no field hq",
        "did you mean hp?")
      check_fails('{ "assemblage": "rock", "component": {} }', "unknown key", "did you mean components?")
      check_fails('{ "components": { "every_type": { "n": "tvo" } } }', "must be one of", "did you mean two?")
      t.equal(world.count "rock", before)
      t.fails(function() world.spawn { health = {} } end, "without an assemblage")
    end,
    ["json.encode sorts keys and escapes strings"] = function(t)
      t.equal(json.encode { b = { 1, 2, { c = true } }, a = "x", ["a b"] = false },
        '{"a":"x","a b":false,"b":[1,2,{"c":true}]}')
      t.equal(json.encode {}, "{}")
      t.equal(json.encode("é\0\1\"\\"), '"é\\u0000\\u0001\\"\\\\"')
      t.equal(json.encode(nil or 5), "5")
    end,
    ["numbers survive a JSON round trip"] = function(t)
      local numbers = { 0.1, 1 / 3, 2 ^ 53 + 2, 1e300, 5e-324, -7, 123456789012345680, 2 ^ -1074, 4.35 }
      for _, v in ipairs(numbers) do
        t.equal(json.decode(json.encode(v)), v)
      end
      t.equal(1 / json.decode(json.encode(-1 / math.huge)), -math.huge) -- the constant -0 is 0 on arm64
      t.equal(json.decode("18446744073709551617"), 18446744073709551617)
      check_round_trip(t, numbers)
      t.equal(json.encode(0.1), "0.1")
    end,
    ["json.decode returns tables and drops null members"] = function(t)
      local v = json.decode ' { "a": [1, [], {"b": null, "c": "\\u00e9\\u0000"}], "n": -1.5e3, "t": true } '
      t.equal(v.a[3].c, "é\0")
      t.equal(v.a[3].b, nil)
      t.equal(v.n, -1500)
      t.equal(#v.a, 3)
      t.equal(json.decode("null"), nil)
      t.equal(json.decode("false"), false)
    end,
    ["json.encode reports where a value cannot be encoded"] = function(t)
      t.fails(function() json.encode { a = { 0 / 0 } } end, "t.a[1] is NaN")
      t.fails(function() json.encode { a = 1 / 0 } end, "t.a is infinite")
      local circle = { inner = {} }
      circle.inner.outer = circle
      t.fails(function() json.encode(circle) end, "t.inner.outer refers back to t: JSON cannot represent cycles")
      t.fails(function() json.encode { 1, a = 2 } end, "t mixes string and number keys")
      t.fails(function() json.encode { a = { [1] = 1, [3] = 3 } } end, "t.a is a list with a gap: element 2")
      t.fails(function() json.encode { [true] = 1 } end, "a key of t is a boolean")
      t.fails(function() json.encode { f = print } end, "t.f is a function")
      t.fails(function() json.encode { "\255" } end, "t[1] is not valid UTF-8")
      local e = world.spawn("rock")
      t.fails(function() json.encode { e } end, "t[1] is an entity")
      t.fails(function() json.encode(e.health) end, "not a plain table", "e:describe()")
      t.fails(function() json.encode(world) end, "not a plain table")
      e:destroy()
      t.fails(function() json.encode(nil) end, "t is nil")
    end,
    ["json.decode reports the line of invalid JSON"] = function(t)
      t.fails(function() json.decode '{ "a": 1,\n "b" }' end, "json.decode: line 2, column")
      t.fails(function() json.decode '{ "a": 1, "a": 2 }' end, "duplicate")
      t.fails(function() json.decode "[1, null]" end, "arrays must not contain null: Lua lists cannot contain nil")
      t.fails(function() json.decode "[1e999]" end, "json.decode: line 1")
      t.fails(function() json.decode "" end, "json.decode: line 1")
      t.fails(function() json.decode "[1] 2" end, "json.decode: line 1")
      t.fails(function() json.decode '"\255"' end, "json.decode: line 1, column 1", "byte 0xff")
      t.fails(function() json.decode(5) end, "json.decode: expected a string, got 5")
    end,
    ["JSON that is too deep or too long is an error"] = function(t)
      local deep = {}
      for _ = 1, 101 do
        deep = { deep }
      end
      t.fails(function() json.encode(deep) end, "is nested too deeply (at most 100 tables)")
      t.fails(function() json.decode(("["):rep(102) .. ("]"):rep(102)) end, "deep")
      t.fails(function() json.decode(("["):rep(5000)) end, "json.decode")
      t.fails(function() json.decode((" "):rep(5000000)) end, "too long: 5000000 bytes (at most 4194304)")
      t.fails(function() json.encode { ("x"):rep(5000000) } end, "too long (at most 4194304 bytes)")
      local fits = {}
      for _ = 1, 99 do
        fits = { fits }
      end
      check_round_trip(t, fits)
    end,
    -- Source of this test (see engine/docs/sources.md): Rectangle Eater.
    ["a component set to false is omitted, in an assemblage and in overrides"] = function(t)
      local unarmed = world.spawn("unarmed_tank")
      t.is_false(unarmed:has("gun"))
      t.is_true(unarmed:has("health"))
      t.equal(unarmed:state(), "alive")
      local rearmed = world.spawn("rearmed_tank")
      t.equal(rearmed.gun.top.heat, 4)
      t.fails(function() return rearmed.gun.left.heat end, "left")
      local e = world.spawn("tank", { gun = false, health = { hp = 4 }, motion = false })
      t.is_false(e:has("gun"))
      t.is_false(e:has("motion"))
      t.equal(e.health.hp, 4)
      local rock = world.spawn("rock", { shield = false })
      t.is_true(rock:has("health"))
      t.fails(function() world.spawn("rock", { sheild = false }) end, "did you mean shield?")
      for _, made in ipairs { unarmed, rearmed, e, rock } do
        for _, child in ipairs(made:children()) do
          child:destroy()
        end
        made:destroy()
      end
    end,
  },
  inside = {
    ["a component omitted from a queued spawn is never added"] = function(t)
      local e = world.spawn("rock", { motion = false })
      t.wait()
      t.is_false(e:has("motion"))
      t.is_true(e:has("health"))
      e:destroy()
    end,
  },
}

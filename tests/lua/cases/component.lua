return {
  outside = {
    ["every field type has a default and stores a value"] = function(t)
      local e = world.spawn(nil, { every_type = {} })
      local c = e.every_type
      t.equal(c.f, 1.5)
      t.equal(c.d, 0.1)
      t.is_true(c.b)
      t.equal(c.i8, -3)
      t.equal(c.i16, -300)
      t.equal(c.i32, -70000)
      t.equal(c.u8, 200)
      t.equal(c.u16, 60000)
      t.equal(c.u32, 4000000000)
      t.equal(c.e, shoal.none)
      t.equal(c.s, "text")
      t.equal(c.n, "one")
      t.equal(c.v2.y, 2)
      t.equal(c.v3.z, 3)
      t.equal(c.v4.a, 4)
      t.equal(c.q.w, 1)
      t.equal(c.a, "a.png")
      t.is_true(c.plain)
      t.equal(c.word, "abc")
      c.f, c.d, c.b, c.i8, c.i16, c.i32, c.u8, c.u16, c.u32 = 2.5, 0.7, false, 4, 5, 6, 7, 8, 9
      c.e, c.s, c.n, c.v2.x, c.v3, c.a = e, "other", "two", 11, { 4, 5, 6 }, "b.png"
      t.equal(c.f + c.d + c.i8 + c.i16 + c.i32 + c.u8 + c.u16 + c.u32, 2.5 + 0.7 + 39)
      t.is_false(c.b)
      t.equal(c.e, e)
      t.equal(c.s .. c.n .. c.a, "othertwob.png")
      t.equal(c.v2.x + c.v3.x + c.v3.y + c.v3.z, 26)
      e:destroy()
    end,
    ["a value of the wrong type is an error that names the field"] = function(t)
      local e = world.spawn(nil, { every_type = {} })
      t.fails(function() e.every_type.b = 1 end, "every_type.b")
      t.fails(function() e.every_type.s = 1 end, "every_type.s")
      t.fails(function() e.every_type.e = 1 end, "every_type.e")
      t.fails(function() e.every_type.n = "three" end, "every_type.n", "one, two")
      e:destroy()
    end,
    ["metadata components cannot be read"] = function(t)
      local e = world.spawn("rock", { author = { name = "me" } })
      t.fails(function() return e.author end, "author")
      e:destroy()
    end,
    ["world.lookup reads and writes by raw id or entity, and returns nil for dead entities"] = function(t)
      local a, b = world.spawn("rock"), world.spawn()
      b:add("target", { entity = a })
      local health = world.lookup("health")
      local q = world.query { "target" }
      local id = q.target.entity:raw(1)
      t.equal(type(id), "number")
      t.equal(health.hp[id], 100)
      health.hp[id] = 55
      t.equal(health.hp[a], 55)
      t.equal(health.hp[b], nil)
      a:destroy()
      t.equal(health.hp[id], nil)
      b:destroy()
      t.fails(function() world.lookup("healt") end, "healt")
    end,
    ["a colour can be set to a hex string or a list, and its channel r is also named x"] = function(t)
      local e = world.spawn(nil, { transform = {}, shape = { colour = "#ff8000" } })
      t.equal(e.shape.colour.r, 1)
      t.near(e.shape.colour.g, 128 / 255)
      e.shape.colour = { 0.1, 0.2, 0.3, 0.4 }
      t.near(e.shape.colour.a, 0.4)
      e.shape.colour.r = 0.9
      t.near(e.shape.colour.x, 0.9)
      e:destroy()
    end,
    ["renamed_from and undeclared parts of a vector are not fields"] = function(t)
      local e = world.spawn(nil, { tuned = {} })
      t.equal(e.tuned.speed, 3)
      t.equal(e.tuned.aim.z, 3)
      t.equal(e.tuned.plane.y, 6)
      t.fails(function() return e.tuned.renamed_from end, "renamed_from")
      t.fails(function() return e.tuned.plane.z end, "plane.z")
      e:destroy()
    end,
    ["a tag has no fields and rejects values"] = function(t)
      local e = world.spawn(nil, { frozen = {} })
      t.is_true(e:has("frozen"))
      t.fails(function() return e.frozen.x end, "tag")
      t.fails(function() e:set("frozen", { x = 1 }) end, "tag")
      e:remove("frozen")
      t.is_false(e:has("frozen"))
      e:destroy()
    end,
    ["vectors can be written whole, in part, as lists, and by axis and colour letters"] = function(t)
      local e = world.spawn(nil, { every_type = { v4 = { x = 9, g = 8 }, v2 = { 7 } } })
      local c = e.every_type
      t.equal(c.v4.x + c.v4.y + c.v4.z + c.v4.w, 9 + 8 + 3 + 4)
      t.equal(c.v2.x + c.v2.y, 7 + 2)
      c.v4 = { w = 1 }
      t.equal(c.v4.x + c.v4.w, 10)
      c.v4[3] = 0
      t.equal(c.v4.b, 0)
      t.fails(function() c.v4.x = "red" end, "v4", "number")
      t.fails(function() c.v4 = 5 end, "v4")
      t.fails(function() c.v4 = { "a" } end, "v4")
      t.fails(function() return c.v4.q end, "v4.q")
      e:destroy()
    end,
    ["a matrix is a list of sixteen numbers"] = function(t)
      local e, list = world.spawn(nil, { every_type = {} }), {}
      for i = 1, 16 do
        list[i] = i
      end
      e.every_type.m = list
      t.equal(e.every_type.m[16], 16)
      local q = world.query { "every_type" }
      list[16] = 99
      q.every_type.m[1] = list
      t.equal(world.lookup("every_type").m[e][16], 99)
      t.fails(function() e.every_type.m = { 1, 2 } end, "16 numbers")
      t.fails(function() q.every_type.m[1] = 5 end, "16 numbers")
      e:destroy()
    end,
    ["fields of a singleton are read, written and checked like those of a component"] = function(t)
      local p = world.single.palette
      p.ink, p.mood, p.label = "#ff000080", "light", "red"
      t.equal(p.ink.r, 1)
      t.near(p.ink.a, 128 / 255)
      p.ink.g = 0.5
      t.equal(p.ink.y, 0.5)
      t.equal(p.mood .. p.label, "lightred")
      t.equal(p.owner, shoal.none)
      local e = world.spawn()
      p.owner = e
      t.equal(p.owner, e)
      t.fails(function() p.mood = "grey" end, "palette.mood", "dark, light")
      t.fails(function() p.owner = 5 end, "palette.owner", "entity")
      t.fails(function() p.ink = 5 end, "ink")
      t.fails(function() return p.ink.q end, "ink.q")
      t.fails(function() p.colour = 5 end, "colour", "ink")
      p.owner = shoal.none
      e:destroy()
    end,
    ["elements of columns are read, written and checked like fields of an entity"] = function(t)
      local e = world.spawn(nil, { every_type = {} })
      local c = world.query({ "every_type" }).every_type
      c.f[1], c.b[1], c.i32[1], c.s[1], c.n[1], c.e[1], c.v2.y[1], c.a[1] = 2.5, false, -5, "new", "two", e, 8, "b.png"
      local f = e.every_type
      t.equal(f.f + f.i32 + f.v2.y, 5.5)
      t.equal(f.s .. f.n .. f.a, "newtwob.png")
      t.is_false(f.b)
      t.equal(f.e, e)
      t.equal(c.e:raw(1), world.query({ "every_type" }).entity:raw(1))
      t.equal(c.n:raw(1), 1)
      for _, wrong in ipairs { function() c.b[1] = 1 end, function() c.s[1] = 5 end, function() c.n[1] = "three" end,
        function() c.e[1] = 5 end, function() c.f[1] = {} end, function() c.i32[1] = "5" end } do
        t.fails(wrong)
      end
      e:destroy()
    end,
    ["adding or querying a metadata component is an error"] = function(t)
      local e = world.spawn("rock")
      t.fails(function() e:add("author", { name = "me" }) end, "author", "not loaded")
      t.fails(function() world.query { "author" } end, "author", "not loaded")
      e:destroy()
    end,
    ["read-only fields of transform cannot be written, and hidden fields cannot be read"] = function(t)
      local e = world.spawn("rock")
      t.fails(function() e.transform.world = {} end, "transform.world")
      t.fails(function() world.query({ "transform" }).transform.world[1] = {} end, "transform.world")
      t.fails(function() world.lookup("transform").world[e] = {} end, "transform.world")
      t.fails(function() return e.transform.first_child end, "first_child")
      t.fails(function() e:set("transform", { world = {} }) end, "world")
      e:destroy()
    end,
  },
}

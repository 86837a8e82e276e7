return {
  outside = {
    ["every type has its default and keeps what is written"] = function(t)
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
    ["values of the wrong type are refused by name"] = function(t)
      local e = world.spawn(nil, { every_type = {} })
      t.fails(function() e.every_type.b = 1 end, "every_type.b")
      t.fails(function() e.every_type.s = 1 end, "every_type.s")
      t.fails(function() e.every_type.e = 1 end, "every_type.e")
      t.fails(function() e.every_type.n = "three" end, "every_type.n", "one, two")
      e:destroy()
    end,
    ["metadata is not loaded and costs nothing"] = function(t)
      local e = world.spawn("rock", { author = { name = "me" } })
      t.fails(function() return e.author end, "author")
      e:destroy()
    end,
    ["lookup reads and writes by raw id and by entity, nil when dead"] = function(t)
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
    ["colours are lists, names or hex"] = function(t)
      local e = world.spawn(nil, { transform = {}, shape = { colour = "#ff8000" } })
      t.equal(e.shape.colour.r, 1)
      t.near(e.shape.colour.g, 128 / 255)
      e.shape.colour = { 0.1, 0.2, 0.3, 0.4 }
      t.near(e.shape.colour.a, 0.4)
      e.shape.colour.r = 0.9
      t.near(e.shape.colour.x, 0.9)
      e:destroy()
    end,
    ["what the host keeps cannot be written"] = function(t)
      local e = world.spawn("rock")
      t.fails(function() e:set("transform", { world = {} }) end, "world")
      e:destroy()
    end,
  },
}

-- Tests of script metamethods that change the world while the engine reads a value.
local function add_spawning_index(t, count)
  return setmetatable(t, { __index = function()
    world.spawn_many("prober", count or 500)
    return nil
  end })
end

local function destroy_probes()
  for e in world.each("probe") do
    e:destroy()
  end
end

local function make_spawning_matrix(last)
  return setmetatable({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }, { __index = function(_, i)
    world.spawn_many("short", 3000)
    return i == 16 and last or nil
  end })
end

local function clear_shorts()
  for e in world.each("label", "burning") do
    e:destroy()
  end
end

return {
  outside = {
    ["missing fields of a value are read through its metatable, once each"] = function(t)
      local reads = 0
      local defaults = setmetatable({ hp = 7 }, { __index = function(_, name)
        reads = reads + 1
        return ({ max = 50 })[name]
      end })
      local e = world.spawn("rock", { health = defaults })
      t.equal(e.health.hp, 7)
      t.equal(e.health.max, 50)
      t.equal(reads, 1)
      local whole = setmetatable({}, { __index = { health = { hp = 3 }, label = "from above" } })
      local f = world.spawn(nil, whole)
      t.equal(f.health.hp, 3)
      t.equal(f.label.text, "from above")
      e:destroy()
      f:destroy()
    end,
    ["overrides whose metamethods spawn do not mix with those of the spawned entity"] = function(t)
      local wild = setmetatable({ a = 1 }, { __index = function(_, name)
        world.spawn("rock", { health = { hp = 99, max = 98 }, motion = { vx = 97 } })
        return name == "b" and 2 or name == "pair" and 3 or nil
      end })
      local e = world.spawn(nil, { numbers = wild })
      t.equal(e.numbers.a, 1)
      t.equal(e.numbers.b, 2)
      t.equal(e.numbers.pair, 3)
      e:set("numbers", setmetatable({}, getmetatable(wild)))
      t.equal(e.numbers.b, 2)
      t.equal(e.numbers.a, 1)
      e:destroy()
      for rock in world.each("health", "motion") do
        t.equal(rock.health.hp, 99)
        rock:destroy()
      end
    end,
    ["a matrix whose metamethod spawns is written to the moved row"] = function(t)
      local e = world.spawn(nil, { every_type = {} })
      local before = world.spawn(nil, { every_type = {} })
      e.every_type.m = make_spawning_matrix(16)
      t.equal(e.every_type.m[16], 16)
      t.equal(e.every_type.m[2], 2)
      world.lookup("every_type").m[e] = make_spawning_matrix(17)
      t.equal(e.every_type.m[16], 17)
      t.fails(function() e.every_type.m = make_spawning_matrix(nil) end, "16 numbers")
      t.equal(before.every_type.m[2], 0)
      e:destroy()
      before:destroy()
      clear_shorts()
    end,
    ["a column that a metamethod closes is not written"] = function(t)
      local e = world.spawn(nil, { every_type = {} })
      local q = world.query { "every_type" }
      t.fails(function() q.every_type.m[1] = make_spawning_matrix(16) end, "the query has no rows")
      t.equal(e.every_type.m[2], 0)
      e:destroy()
      clear_shorts()
    end,
    ["writing to an entity that a metamethod of the value destroys is an error"] = function(t)
      local e = world.spawn("rock")
      local wild = setmetatable({ hp = 1 }, { __index = function() e:destroy() end })
      t.fails(function() e:set("health", wild) end, "alive")
      t.equal(e:alive(), false)
      local f = world.spawn(nil, { every_type = {} })
      t.fails(function()
        f.every_type.v3 = setmetatable({}, { __index = function(_, i)
          f:destroy()
          return tonumber(i)
        end })
      end, "dead")
    end,
    ["tables with a class metatable are accepted as vectors"] = function(t)
      local Vec = { z = 9 }
      Vec.__index, Vec.__add = Vec, function(a) return a end
      local e = world.spawn(nil, { every_type = { v3 = setmetatable({ x = 7, y = 8 }, Vec) } })
      t.equal(e.every_type.v3.x, 7)
      t.equal(e.every_type.v3.z, 9)
      e.every_type.v3 = setmetatable({ 4, 5 }, Vec)
      t.equal(e.every_type.v3.y, 5)
      t.equal(e.every_type.v3.z, 9)
      e:destroy()
    end,
    ["a metamethod of an event's values may emit additional events"] = function(t)
      local hits = 0
      world.emit("hit", setmetatable({ power = 1 }, { __index = function(_, name)
        hits = hits + 1
        if hits < 5 then
          world.emit("hit", { power = 50, what = "another" })
        end
        return name == "what" and "this" or nil
      end }))
      t.is_true(hits > 0)
    end,
    ["world.emit_many cannot be nested"] = function(t)
      local function emit_recursively()
        world.emit_many("hit", 1, emit_recursively)
      end
      t.fails(emit_recursively, "already running")
      destroy_probes()
    end,
    ["an instance name must be a string, even with __tostring"] = function(t)
      local alive = world.count("rock")
      local name = setmetatable({}, { __tostring = function()
        world.spawn("rock")
        return "left"
      end })
      local other = setmetatable({}, getmetatable(name))
      t.fails(function() world.spawn(nil, { gun = { [name] = { heat = 1 }, [other] = { heat = 2 } } }) end,
        "strings, got a table")
      t.fails(function() world.spawn(nil, { gun = { [1] = { heat = 1 } } }) end, "strings, got 1")
      t.equal(world.count("rock"), alive)
    end,
    ["a __tostring that returns no string is ignored"] = function(t)
      local e = world.spawn("prober")
      local odd = setmetatable({}, { __tostring = function() return e end })
      t.equal(tostring(odd), "table")
      t.equal(("%s"):format(odd), "table")
      e:destroy()
    end,
    ["metamethods may spawn while spawn_many fills a block"] = function(t)
      world.spawn_many("prober", 4, function(q)
        world.spawn_many("prober", 2, function(inner)
          inner.probe.n[1] = 5
          world.spawn("prober", { probe = add_spawning_index({ n = 3 }) })
        end)
        q.probe.n[4] = 6
      end)
      local total = 0
      for e in world.each("probe") do
        total = total + e.probe.n
      end
      t.equal(total, 14)
      destroy_probes()
    end,
  },
}

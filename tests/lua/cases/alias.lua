-- A name of a component that others are now: place_of_old in components.lua.
return {
  outside = {
    ["T-machine, part 5: a component is split in two, and assemblages that name it stay as they are"] = function(t)
      local e = world.spawn("of_old", { place_of_old = { looks = { 7, 8, 9 } } })
      t.equal(e.probe.n, 4)
      t.equal(e.probe.seen, 2)
      t.equal(e.tuned.speed, 6)
      t.equal(e.tuned.aim.y, 8)
      e:destroy()
    end,
    ["without takes all of it away"] = function(t)
      local e = world.spawn("less_than_of_old")
      t.is_false(e:has("probe"))
      t.is_false(e:has("tuned"))
      t.is_true(e:has("health"))
      e:destroy()
    end,
    ["what an entity can do with a component it can do with an alias"] = function(t)
      local e = world.spawn()
      t.is_false(e:has("place_of_old"))
      e:add("place_of_old", { n = 1 })
      t.is_true(e:has("place_of_old"))
      t.equal(e.tuned.speed, 3)
      e:set("place_of_old", { pace = 9 })
      t.equal(e.tuned.speed, 9)
      t.equal(e.probe.n, 1)
      e.place_of_old.pace = 10
      t.equal(e.place_of_old.pace, 10)
      t.equal(e.tuned.speed, 10)
      t.is_true(e:remove("place_of_old"))
      t.is_false(e:has("tuned"))
      t.is_false(e:remove("place_of_old"))
      e:destroy()
    end,
    ["a field that nobody has is named"] = function(t)
      local e = world.spawn("of_old")
      t.fails(function() return e.place_of_old.speed end, "place_of_old is probe and tuned now", "speed")
      t.fails(function() e:set("place_of_old", { speed = 1 }) end, "place_of_old", "speed")
      t.fails(function() world.spawn("of_old", { place_of_old = { seen = 1 } }) end, "place_of_old", "seen")
      e:destroy()
    end,
    ["a query over it is a query over all of it"] = function(t)
      local e, half = world.spawn("of_old"), world.spawn(nil, { probe = {} })
      local q = world.query { "place_of_old" }
      t.equal(q.count, 1)
      t.equal(q.entity[1], e)
      t.equal(q.place_of_old.pace[1], 6)
      q.place_of_old.n[1] = 11
      t.equal(e.probe.n, 11)
      e:destroy()
      half:destroy()
    end,
  },
  inside = {},
}

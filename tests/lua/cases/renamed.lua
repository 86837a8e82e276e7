-- Renamed components: components.lua declares new names for the parts of place_of_old.
local function use_old_name(e)
  e:add("place_of_old")
  return e.place_of_old.pace
end

return {
  outside = {
    ["an old component name is an error that lists the new names"] = function(t)
      local words = "place_of_old.n is now probe.n, place_of_old.looks is now tuned.aim, "
        .. "place_of_old.pace is now tuned.speed"
      local e = world.spawn("rock")
      t.fails(function() use_old_name(e) end, words)
      t.fails(function() return e.place_of_old.pace end, words)
      t.fails(function() e.place_of_old = 1 end, words)
      t.fails(function() e:has("place_of_old") end, words)
      t.fails(function() e:remove("place_of_old") end, words)
      t.fails(function() world.count("place_of_old") end, words)
      t.fails(function() world.query { "place_of_old" } end, words)
      t.fails(function() world.spawn("rock", { place_of_old = {} }) end, words)
      e:destroy()
    end,
    ["world.import reads old names of components and fields, and skips unknown fields"] = function(t)
      local made = world.import('{ "entities": [ { "components": { "place_of_old": { "n": 7, "pace": 2.5 } } } ] }')
      t.equal(made[1].probe.n, 7)
      t.equal(made[1].tuned.speed, 2.5)
      made[1]:destroy()
      made = world.import('{ "entities": [ { "components": { "place_of_old": { "pcae": 1, "n": 6 } } } ] }')
      t.equal(made[1].probe.n, 6)
      made[1]:destroy()
    end,
  },
  inside = {},
}

local seen = require("lib.seen")

return {
  inside = {
    ["world.scene destroys every entity and spawns the scene at the next tick, but keeps singletons"] = function(t)
      seen.take()
      local old = world.spawn("rock")
      world.single.score.value = 77
      t.wait()
      world.scene("cellar")
      t.is_true(old:alive())
      t.wait()
      t.is_false(old:alive())
      t.equal(seen.take("scene"), "scene 1 1")
      t.equal(world.count("rock"), 1)
      t.equal(world.count("tank"), 1)
      t.equal(world.single.score.value, 77)
      for e in world.each("gun", "health") do
        t.equal(e.health.hp, 3)
        e:destroy()
      end
      for _, name in ipairs { "motion", "label" } do
        for e in world.each(name) do
          e:destroy()
        end
      end
      t.wait(2)
      seen.take()
    end,
    ["the objects of a scene's maps exist when the scene's `start` function runs"] = function(t)
      seen.take()
      t.wait()
      world.scene("vault")
      t.wait()
      t.equal(seen.take("vault"), "vault 2 5")
      t.equal(world.count("map_object"), 2)
      world.find("vault"):destroy()
      t.wait(2)
      t.equal(world.count("map_object"), 0)
      seen.take()
    end,
    ["a missing scene is an error that names it"] = function(t)
      t.fails(function() world.scene("attic") end, "scenes/attic.lua")
      t.fails(function() world.scene(nil) end, "scene")
    end,
  },
}

-- assets.preload and assets.ready without a window: nothing is decoded, and everything is ready immediately.
local seen = require("lib.seen")

return {
  outside = {
    ["invalid arguments of assets.preload are errors"] = function(t)
      t.fails(function() assets.preload(nil) end, "assets.preload: expected a list", "got nil")
      t.fails(function() assets.preload("boss.png") end, "assets.preload: expected a list", "got text \"boss.png\"")
      t.fails(function() assets.preload { boss = "boss.png" } end, "key boss")
      t.fails(function() assets.preload { "boss.png", 5 } end, "item 2 must be the name of a file")
      t.fails(function() assets.preload { "" } end, "item 1 must be the name of a file")
      assets.preload(setmetatable({}, { __index = function(_, i) return i < 3 and "" or nil end }))
      assets.preload { "\0.png" }
      t.fails(function() assets.preloda {} end, "preloda", "preload")
    end,
    ["assets.screen is an error outside the render phase"] = function(t)
      t.fails(function() assets.screen() end, "render")
    end,
  },
  inside = {
    ["without a window, preloaded assets are ready immediately, and a new preload restarts the count"] = function(t)
      assets.preload {}
      t.is_true((assets.ready()))
      assets.preload { "pictures/asteroids.png", "pictures/physics.jpg", "pictures/asteroids.png" }
      local ready, there, asked = assets.ready()
      t.is_true(ready)
      t.equal(there, 2)
      t.equal(asked, 2)
      t.wait(2)
      assets.preload { "pictures/asteroids.png" }
      ready, there, asked = assets.ready()
      t.is_true(ready)
      t.equal(there, 1)
      t.equal(asked, 1)
    end,
    ["preloaded fonts, missing files and paths outside assets/ count as ready without a window"] = function(t)
      assets.preload { "no_such_image.png", "fonts/mono.ttf", "../../../../etc/passwd" }
      local ready, there, asked = assets.ready()
      t.is_true(ready)
      t.equal(there, asked)
      t.equal(asked, 3)
      t.wait(2)
      t.is_true((assets.ready()))
    end,
    ["a render system can read the progress and draw a loading screen, and invalid options are errors"] = function(t)
      local e = world.spawn(nil, { probe = { n = 0 }, frozen = {} })
      t.wait()
      seen.want.draw = function()
        local problems = {}
        for i, wrong in ipairs { 5, { titel = "x" }, { colour = 5 } } do
          problems[i] = tostring(select(2, pcall(assets.screen, wrong)))
        end
        return (assets.ready()), assets.screen { title = "Wait" }, table.concat(problems, "; ")
      end
      t.wait(2)
      e:destroy()
      t.wait()
      t.is_true(seen.drawn[1])
      t.is_true(seen.drawn[2])
      t.is_false(seen.drawn[3])
      for _, words in ipairs { "options must be a table", "no option titel", "colour must be a string" } do
        t.is_true(seen.drawn[4]:find(words, 1, true) ~= nil)
      end
    end,
  },
}

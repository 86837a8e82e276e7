local seen = require("lib.seen")

return {
  outside = {
    ["a module is one table, whatever name asks for it"] = function(t)
      local a = require("lib.counted")
      t.is_true(a == require("lib.counted"))
      t.is_true(a == require("lua.lib.counted")) -- with the game folder's name before it
      t.equal(seen.counted, 1)
    end,
    ["a module that returns nothing is true"] = function(t)
      t.is_true(require("lib.deep.silent"))
    end,
    ["a module that is not there is an error that names it and where it was looked for"] = function(t)
      t.fails(function() require("lib.nobody") end, "lib.nobody", "lib/nobody.lua")
    end,
    ["modules in a circle are an error that names one, as often as they are asked for"] = function(t)
      t.fails(function() require("lib.circle_a") end, "circle", "circle_a")
      t.fails(function() require("lib.circle_a") end, "circle", "circle_a")
    end,
    ["a module cannot yield over whoever asks for it, and the world is there afterwards"] = function(t)
      for _ = 1, 2 do
        t.fails(coroutine.wrap(function() require("lib.yields") end), "yield")
        t.is_true(world.tick >= 0)
        t.equal(world.count("rock") >= 0, true)
      end
    end,
    ["a module that fails says why, with its own line, as often as it is asked for"] = function(t)
      t.fails(function() require("lib.broken") end, "lib/broken.lua:2", "nothing_there")
      t.fails(function() require("lib.broken") end, "lib/broken.lua:2", "nothing_there")
    end,
  },
}

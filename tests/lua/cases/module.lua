local seen = require("lib.seen")

return {
  outside = {
    ["a module is loaded once, no matter which of its names is required"] = function(t)
      local a = require("lib.counted")
      t.is_true(a == require("lib.counted"))
      t.is_true(a == require("lua.lib.counted")) -- the same module, named with its game folder
      t.equal(seen.counted, 1)
    end,
    ["require returns true for a module that returns no value"] = function(t)
      t.is_true(require("lib.deep.silent"))
    end,
    ["a missing module is an error that names the searched path"] = function(t)
      t.fails(function() require("lib.nobody") end, "lib.nobody", "lib/nobody.lua")
    end,
    ["cyclic modules are an error each time"] = function(t)
      t.fails(function() require("lib.circle_a") end, "circle", "circle_a")
      t.fails(function() require("lib.circle_a") end, "circle", "circle_a")
    end,
    ["a module cannot yield while it is loaded"] = function(t)
      for _ = 1, 2 do
        t.fails(coroutine.wrap(function() require("lib.yields") end), "yield")
        t.is_true(world.tick >= 0)
        t.equal(world.count("rock") >= 0, true)
      end
    end,
    ["an error in a module is reported with its line each time"] = function(t)
      t.fails(function() require("lib.broken") end, "lib/broken.lua:2", "nothing_there")
      t.fails(function() require("lib.broken") end, "lib/broken.lua:2", "nothing_there")
    end,
  },
}

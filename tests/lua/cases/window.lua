-- Tests of the functions of `window` and of world.quit. Window events: tests/window/reload.sh and
-- tests/scenarios/replay.sh.
return {
  outside = {
    ["window.fullscreen rejects arguments that are not booleans"] = function(t)
      for _, wrong in ipairs { 1, "on", {}, shoal.none } do
        t.fails(function() window.fullscreen(wrong) end, "window.fullscreen: expected true, false or nothing",
          tostring(wrong))
      end
      t.fails(function() window.maximise() end, "maximise", "fullscreen")
      local function remove_key(of, key) of[key] = nil end
      t.fails(function() remove_key(window, "fullscreen") end, "fullscreen")
    end,
    ["window.fullscreen does not affect the world and is false without a window"] = function(t)
      local before = world.hash()
      t.is_false(window.fullscreen())
      t.is_false(window.fullscreen(true))
      t.equal(world.hash(), before)
    end,
    ["window.scale and window.vsync return the current value and reject invalid values"] = function(t)
      t.equal(window.scale(), "fit")
      t.equal(window.scale("integer"), "fit")
      t.is_true(window.vsync())
      t.is_true(window.vsync(true))
      t.fails(function() window.scale("integr") end, "fit, integer, stretch, expand", "did you mean integer?")
      t.fails(function() window.vsync(1) end, "window.vsync: expected true, false")
    end,
    ["window.area is refused outside of render systems"] = function(t)
      t.fails(function() window.area() end, "window.area can be called only in systems in phase",
        "width and height of game.lua")
    end,
    ["window.pointer rejects unknown fields and values of the wrong type"] = function(t)
      for _, wrong in ipairs { true, "hidden", shoal.none } do
        t.fails(function() window.pointer(wrong) end, "window.pointer: expected a table", "window.pointer {}")
      end
      t.fails(function() window.pointer() end, "window.pointer: expected a table, got nil")
      t.fails(function() window.pointer { hidden = true } end, "window.pointer has no field hidden",
        "available: confined, image, relative, shown")
      t.fails(function() window.pointer { relativ = true } end, "did you mean relative?")
      t.fails(function() window.pointer { shown = 0 } end, "window.pointer: shown must be a boolean, got")
      t.fails(function() window.pointer { image = true } end, "window.pointer: image must be a string, got")
      t.fails(function() window.pointer { image = ("x"):rep(300) } end, "is longer than 255 bytes")
    end,
    ["window.pointer does not affect the world"] = function(t)
      local before = world.hash()
      window.pointer { shown = false, confined = true, relative = true }
      window.pointer {}
      t.equal(world.hash(), before)
    end,
    ["world.quit rejects arguments that are neither booleans nor players"] = function(t)
      for _, wrong in ipairs { -1, 0.5, 5, "no", {} } do
        t.fails(function() world.quit(wrong) end, "world.quit: expected no argument, a player, or false",
          tostring(wrong))
      end
    end,
    ["scripts cannot emit window events"] = function(t)
      t.fails(function() world.emit("shoal.window", { kind = "quit" }) end, "shoal.window")
      t.fails(function() world.emit_many("shoal.window", 1, function() end) end, "shoal.window")
    end,
  },
  inside = {
    ["world.quit(false) cancels a world.quit() of the same tick"] = function(t)
      world.quit()
      world.quit(false)
      t.wait(2)
    end,
    ["window.fullscreen can be called from a system"] = function(t)
      t.is_false(window.fullscreen(true))
      t.wait()
      t.is_false(window.fullscreen(false))
    end,
  },
}

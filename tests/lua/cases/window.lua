-- What scripts ask of the window, and of the host that keeps it. What it tells them is in tests/window/reload.sh and
-- tests/scenarios/replay.sh.
return {
  outside = {
    ["window.fullscreen takes true, false or nothing"] = function(t)
      for _, wrong in ipairs { 1, "on", {}, shoal.none } do
        t.fails(function() window.fullscreen(wrong) end, "window.fullscreen takes true or false, or nothing",
          tostring(wrong))
      end
      t.fails(function() window.maximise() end, "maximise", "fullscreen")
      local function forget(of, key) of[key] = nil end
      t.fails(function() forget(window, "fullscreen") end, "fullscreen")
    end,
    ["window.fullscreen is no part of the world, and without a window it is false"] = function(t)
      local before = world.hash()
      t.is_false(window.fullscreen())
      t.is_false(window.fullscreen(true))
      t.equal(world.hash(), before)
    end,
    ["window.scale and window.vsync take what they give, or nothing"] = function(t)
      t.equal(window.scale(), "fit")
      t.equal(window.scale("integer"), "fit")
      t.is_true(window.vsync())
      t.is_true(window.vsync(true))
      t.fails(function() window.scale("integr") end, "fit, integer or stretch", "did you mean integer?")
      t.fails(function() window.vsync(1) end, "window.vsync takes true or false")
    end,
    ["world.quit takes nothing, true or false"] = function(t)
      for _, wrong in ipairs { 0, "no", {} } do
        t.fails(function() world.quit(wrong) end, "world.quit takes no argument, or false", tostring(wrong))
      end
    end,
    ["scripts cannot emit what the window says"] = function(t)
      t.fails(function() world.emit("shoal.window", { kind = "quit" }) end, "shoal.window")
      t.fails(function() world.emit_many("shoal.window", 1, function() end) end, "shoal.window")
    end,
  },
  inside = {
    ["world.quit(false) refuses a world.quit() of the same tick"] = function(t)
      world.quit()
      world.quit(false)
      t.wait(2)
    end,
    ["the window keeps what it is asked, and the world goes on"] = function(t)
      t.is_false(window.fullscreen(true))
      t.wait()
      t.is_false(window.fullscreen(false))
    end,
  },
}

-- Emitters as seen by scripts. Simulation: tests/unit/particles_test.c.
return {
  outside = {
    ["an invalid emitter field is an error that names the field"] = function(t)
      local function check_fails(fields, ...)
        t.fails(function() world.spawn(nil, { emitter = fields }) end, ...)
      end
      check_fails({ preset = "spraks" }, "unknown preset spraks", "did you mean sparks?")
      check_fails({ preset = 5 }, "unknown preset 5")
      check_fails({ rate = 1e6 }, "emitter.rate must be from 0 to 500000", "got 1000000")
      check_fails({ rate = 0 / 0 }, "emitter.rate must be finite, got nan")
      check_fails({ rate = -1 }, "emitter.rate must be from 0 to 500000", "got -1")
      check_fails({ life = 0 }, "emitter.life must be from 0.001 to 600 seconds, got 0")
      check_fails({ gravity_y = 1 / 0 }, "emitter.gravity_y must be finite, got inf")
      check_fails({ sizes = { 1, "big" } }, "emitter.sizes must be a list of up to 8 numbers")
      check_fails({ sizes = { from = 1 } }, "emitter.sizes must be a list of up to 8 numbers")
      check_fails({ sizes = "1 2,3" }, "emitter.sizes must be a list of up to 8 numbers", "got text \"2,3\"")
      check_fails({ colours = { "red" } }, "emitter.colours must be a list")
      check_fails({ colours = { { 1, 2 } } }, "emitter.colours must be a list")
      check_fails({ living = 5 }, "is read-only")
      check_fails({ rat = 5 }, "emitter has no field rat", "did you mean rate?")
    end,
    ["an invalid emitter force is an error that names the force, and forces have presets"] = function(t)
      local function check_fails(fields, ...)
        t.fails(function() world.spawn(nil, { emitter = {}, emitter_forces = fields }) end, ...)
      end
      check_fails({ drag = -1 }, "emitter_forces.drag must be from 0 to 1000, got -1")
      check_fails({ wind_x = 1 / 0 }, "emitter_forces.wind_x must be finite, got inf")
      check_fails({ walls = "box", right = 10 }, "a box must have left < right and top < bottom")
      check_fails({ preset = "vortx" }, "unknown preset vortx", "did you mean vortex?")
      local e = world.spawn(nil, { emitter = {}, emitter_forces = { preset = "rubble", bottom = 40 } })
      t.equal(e.emitter_forces.walls, "floor")
      t.equal(e.emitter_forces.bottom, 40)
      e:set("emitter_forces", { preset = "air" })
      t.equal(e.emitter_forces.walls, "none")
      e:destroy()
    end,
    ["a preset sets the omitted fields each time it is assigned"] = function(t)
      local e = world.spawn(nil, { emitter = { preset = "sparks", rate = 7 } })
      t.equal(e.emitter.rate, 7)
      t.equal(e.emitter.blend, "add")
      t.equal(e.emitter.sizes, "1 1 0.3")
      e.emitter.layer = 3
      e:set("emitter", { preset = "smoke" })
      t.equal(e.emitter.blend, "alpha")
      t.equal(e.emitter.rate, 14)
      t.equal(e.emitter.layer, 3)
      t.equal(e.emitter.stretch, 0)
      e:destroy()
    end,
    ["a curve may be a list or a string"] = function(t)
      local e = world.spawn(nil, { emitter = { sizes = { 1, 0.5, 0 }, colours = { "#fff", { 1.5, 0.25, 0, 1 } } } })
      t.equal(e.emitter.sizes, "1 0.5 0")
      t.equal(e.emitter.colours, "#fff 1.5,0.25,0,1")
      e.emitter.speeds = { 1, -1 / 3 }
      t.equal(e.emitter.speeds, "1 -0.33333")
      e.emitter.speeds = "2 1"
      t.equal(e.emitter.speeds, "2 1")
      e.emitter.sizes = {}
      t.equal(e.emitter.sizes, "")
      e:destroy()
    end,
    ["every emitter preset sets a positive life"] = function(t)
      for name in ("fire smoke sparks explosion trail rain snow magic dust"):gmatch("%a+") do
        local e = world.spawn(nil, { emitter = { preset = name } })
        t.is_true(e.emitter.life > 0)
        e:destroy()
      end
    end,
  },
  inside = {
    ["an emitter can be stopped, started and given a burst"] = function(t)
      local e = world.spawn(nil, { transform = {}, emitter = { rate = 60, life = 100 } })
      t.wait(12)
      local before = e.emitter.living
      t.is_true(before >= 10)
      e.emitter.enabled = false
      t.wait(5)
      before = e.emitter.living
      t.wait(5)
      t.equal(e.emitter.living, before)
      e.emitter.burst = 40
      t.wait(2)
      t.equal(e.emitter.living, before + 40)
      t.equal(e.emitter.burst, 0)
      e.emitter.enabled = true
      t.wait(5)
      t.is_true(e.emitter.living > before + 40)
      e:destroy()
    end,
    ["a finished emitter destroys its entity"] = function(t)
      local e = world.spawn(nil, { transform = {}, emitter = { preset = "explosion", life = 0.1 } })
      for _ = 1, 60 do
        t.wait(1)
        if not e:alive() then return end
      end
      error("the entity is still alive")
    end,
  },
}

-- Animations as seen by scripts. Sheets: tests/unit/sheet_test.c, tests/scenarios/sprites.sh.
local seen = require("lib.seen")

local function spawn_strip(times)
  return world.spawn(nil, { transform = {}, sprite = { image = "strip.png", frames = 4 },
    animation = { times = times } })
end

return {
  outside = {
    ["an invalid animation field is an error that names the field"] = function(t)
      t.fails(function() world.spawn(nil, { animation = { clp = "walk" } }) end, "clp", "clip")
      t.fails(function() world.spawn(nil, { animation = { speed = "fast" } }) end, "speed", "number")
    end,
  },
  inside = {
    ["a strip plays automatically and stops with playing = false"] = function(t)
      local e = spawn_strip(0)
      t.wait(2)
      t.equal(e.sprite.frame, 1)
      t.wait(6)
      t.equal(e.sprite.frame, 2)
      e.animation.playing = false
      t.wait(12)
      t.equal(e.sprite.frame, 2)
      e.animation.elapsed = -1
      t.wait(1)
      t.equal(e.sprite.frame, 1)
      e:destroy()
    end,
    ["animation_ended names the entity and the clip"] = function(t)
      seen.take()
      local e = spawn_strip(1)
      t.wait(23)
      t.is_true(e.animation.playing)
      t.wait(4)
      t.is_false(e.animation.playing)
      t.equal(e.sprite.frame, 4)
      t.equal(seen.take("played"), "played  true")
      e:destroy()
    end,
    ["a disabled animation stops"] = function(t)
      local e = spawn_strip(0)
      t.wait(2)
      e:disable("animation")
      t.wait(12)
      t.equal(e.sprite.frame, 1)
      e:enable("animation")
      t.wait(8)
      t.is_true(e.sprite.frame > 1)
      e:destroy()
    end,
  },
}

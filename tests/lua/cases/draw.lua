local seen = require("lib.seen")

-- Runs `call` in a render system with one probe alive and returns its results or error.
local function run_in_render_system(t, call)
  local e = world.spawn(nil, { probe = { n = 0 }, frozen = {} })
  t.wait()
  seen.want.draw = call
  t.wait(2)
  e:destroy()
  t.wait()
  return unpack(seen.drawn)
end

local function check_refused(t, call, ...)
  local good, problem = run_in_render_system(t, call)
  t.is_false(good)
  for _, word in ipairs { ... } do
    if not tostring(problem):find(word, 1, true) then
      error(tostring(problem) .. " does not say " .. word, 2)
    end
  end
end

return {
  outside = {
    ["draw functions are errors outside the render phase"] = function(t)
      for _, name in ipairs { "line", "circle", "rect", "polygon", "text", "image", "space", "colour", "color", "layer",
        "blend", "font", "text_size", "text_style" } do
        t.fails(function() draw[name](1, 2, 3, 4) end, "render")
      end
      t.fails(function() draw.square() end, "square", "circle")
    end,
    ["invalid arguments of audio functions are errors"] = function(t)
      t.equal(type(audio.play("no_such_sound.wav")), "number")
      audio.stop(nil)
      audio.stop(12345)
      audio.set(12345, { volume = 0.5 })
      t.fails(function() audio.playing(12345) end, "render", "playback")
      t.fails(function() audio.play(nil) end, "audio.play")
      t.fails(function() audio.play("x.wav", 5) end, "options")
      t.fails(function() audio.playy("x.wav") end, "playy")
    end,
    ["a pitch, fade or position out of range is an error"] = function(t)
      for _, pitch in ipairs { 0, -1, 0 / 0, 1 / 0, 1e30, 0.01, 21 } do
        t.fails(function() audio.play("no_such_sound.wav", { pitch = pitch }) end, "pitch")
        t.fails(function() audio.set(1, { pitch = pitch }) end, "pitch")
      end
      for _, name in ipairs { "volume", "pan", "fade", "range", "within" } do
        t.fails(function() audio.play("no_such_sound.wav", { [name] = 0 / 0 }) end, name, "nan")
        t.fails(function() audio.set(1, { [name] = "loud" }) end, name, "number")
      end
      t.fails(function() audio.play("no_such_sound.wav", { x = 5 }) end, "x and y")
      t.fails(function() audio.play("no_such_sound.wav", { pitch_variation = 2 }) end, "pitch_variation")
      t.fails(function() audio.play("no_such_sound.wav", { picth = 2 }) end, "picth", "did you mean pitch?")
      t.fails(function() audio.set(1, { loop = true }) end, "loop")
      t.fails(function() audio.stop(1, 0 / 0) end, "fade")
      audio.set(12345, { pitch = 2, fade = 0.5, x = 1, y = 2 })
      audio.stop(12345, 0.5)
    end,
    ["an unknown bus is an error that suggests the nearest name"] = function(t)
      t.fails(function() audio.play("no_such_sound.wav", { bus = "efects" }) end, "efects", "did you mean effects?")
      t.fails(function() audio.volume("musci", 0.5) end, "musci", "did you mean music?")
      t.fails(function() audio.volume("music", "loud") end, "volume")
      for _, bus in ipairs { "master", "music", "effects", "voice", "ui" } do
        audio.volume(bus, 1)
      end
      audio.volume(1)
    end,
    ["assets.exists reports only files in assets/"] = function(t)
      t.is_true(assets.exists("data/items.json"))
      t.is_false(assets.exists("no_such_image.png"))
      t.is_false(assets.exists("../../../../etc/passwd"))
      t.is_false(assets.exists("/etc/passwd"))
    end,
  },
  inside = {
    ["a voice number depends on the tick and on the number of earlier calls in the tick"] = function(t)
      t.wait()
      local first, second = audio.play("no_such_sound.wav"), audio.play("no_such_sound.wav")
      t.equal(second, first + 1)
      t.wait()
      t.equal(audio.play("no_such_sound.wav"), first + 1024)
    end,
    ["every shape can be drawn from a render system"] = function(t)
      local good, problem = run_in_render_system(t, function(q, dt)
        draw.space("screen")
        draw.colour(1, 0.5, 0)
        draw.colour({ 1, 0, 0, 0.5 })
        draw.colour("#ff8800", 0.5)
        draw.color("#ff880080")
        draw.layer(3)
        draw.blend("add")
        draw.font(nil)
        draw.line(0, 0, 10, 10, 3)
        draw.circle(5, 5, 3)
        draw.circle(5, 5, 3, false, 2)
        draw.rect(0, 0, 10, 10, false)
        draw.polygon { 0, 0, 10, 0, 5, 5 }
        draw.polygon({ { 0, 0 }, { 10, 0 }, { 5, 5 } }, false, 1)
        draw.text("hello", 5, 5, 20, "center")
        draw.text(42, 5, 5)
        draw.image("no_such_image.png", 1, 2, 0.5, 2)
        return q.count, dt > 0
      end)
      t.is_true(good)
      t.equal(problem, 1)
    end,
    ["draw.text_size uses the text style, even without a window"] = function(t)
      local good, plain, tags, spaced, wrapped = run_in_render_system(t, function()
        local width, height = draw.text_size("a[size=40]b[/]", 20)
        draw.text_style { markup = true, outline_width = 2, shadow = { 0, 0, 0, 1 }, shadow_x = 2, shown = 3 }
        draw.text("a[size=40]b[/]", 0, 0, 20)
        local short, high = draw.text_size("a[size=40]b[/]", 20)
        draw.text_style { line_spacing = 2 }
        local _, twice = draw.text_size("a\nb", 20)
        draw.text_style()
        local narrow, lines = draw.text_size("one two three four", 20, 60)
        return width > 80 and height > 15, short < 60 and high > 40, twice > 2.5 * height,
          narrow <= 60 and lines >= 3 * height
      end)
      t.is_true(good)
      t.is_true(plain)
      t.is_true(tags)
      t.is_true(spaced)
      t.is_true(wrapped)
    end,
    ["draw.text_size and audio.playing can be called in a render system"] = function(t)
      local good, w, h = run_in_render_system(t, function()
        local width, height = draw.text_size("hello", 20)
        return width, height == height and audio.playing(12345)
      end)
      t.is_true(good)
      t.equal(type(w), "number")
      t.is_false(h)
    end,
    ["invalid arguments of draw functions are errors"] = function(t)
      check_refused(t, function() draw.space("sideways") end, "sideways")
      check_refused(t, function() draw.blend("sub") end, "sub")
      check_refused(t, function() draw.colour("red") end, "red")
      check_refused(t, function() draw.polygon { 1 } end, "polygon")
      check_refused(t, function() draw.polygon(5) end, "polygon")
      check_refused(t, function() draw.image(nil, 0, 0) end, "draw.image")
      check_refused(t, function() draw.image("none.png", 0, 0, 0, 1, 1, 0) end, "frame must be a number from 1 to")
      check_refused(t, function() draw.image("none.png", 0, 0, 0, 1, 1, "first") end, "the frame must be a number")
      check_refused(t, function() draw.font(5) end, "draw.font")
      check_refused(t, function() draw.text_style(5) end, "draw.text_style: options must be a table")
      check_refused(t, function() draw.text_style { outlin = 5 } end, "outlin", "did you mean outline?")
      check_refused(t, function() draw.text_style { outline = "red" } end, "text_style: outline", "red")
      check_refused(t, function() draw.text_style { shadow_x = "far" } end, "shadow_x")
      check_refused(t, function() draw.text_style { valign = "centre" } end, "valign", "centre")
      check_refused(t, function() draw.text("x", 0, 0, 20, "middle") end, "middle")
      check_refused(t, function() draw.line(0, 0, "x", 5) end)
    end,
    ["drawing with NaN and infinite coordinates raises no error"] = function(t)
      local nan, big = 0 / 0, 1e30
      local good = run_in_render_system(t, function()
        for _, v in ipairs { nan, big, -big, 1 / 0 } do
          draw.line(v, v, v, v, v)
          draw.circle(v, v, v)
          draw.circle(v, v, v, false, v)
          draw.rect(v, v, v, v)
          draw.polygon { v, v, 0, v, v, 0 }
          draw.text("x", v, v, v)
          draw.image("none.png", v, v, v, v, v, 3)
          draw.layer(v ~= v and 0 or 1)
        end
      end)
      t.is_true(good)
    end,
    ["a render system cannot change the world"] = function(t)
      local e = world.spawn("rock")
      check_refused(t, function(q) q.probe.n[1] = 5 end, "probe.n")
      for _, call in ipairs {
        function() world.spawn("rock") end, function() world.spawn_many("rock", 2) end, function() e:destroy() end,
        function() e:add("burning") end, function() e:remove("motion") end, function() e:set("motion", { vx = 1 }) end,
        function() e.motion.vx = 5 end, function() e.transform.x = 5 end, function() world.emit("hit") end,
        function() world.single.score.value = 5 end, function() world.single.score.best = { 1, 2 } end,
        function() world.single.score.best.x = 5 end, function() world.lookup("motion").vx[e] = 5 end,
        function() world.random() end, function() e:enter("alive") end, function() e:send("hit") end,
        function() world.query({ "motion" }).motion.vx[1] = 3 end,
      } do
        check_refused(t, call, "render")
      end
      t.equal(e.motion.vx, 20)
      e:destroy()
      t.wait()
    end,
    ["a render system's handlers can read but not edit events"] = function(t)
      seen.want.draw_event = true
      world.emit("hit", { power = 5 })
      t.wait()
      seen.want.draw_event = nil
      t.is_false(seen.draw_event[1])
      t.is_true(seen.draw_event[2]:find("hit.power", 1, true) ~= nil)
      t.wait()
      seen.take()
    end,
  },
}

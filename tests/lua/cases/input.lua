return {
  outside = {
    ["an unknown action is an error that lists the actions"] = function(t)
      for _, ask in ipairs { "down", "pressed", "released", "axis" } do
        t.fails(function() return input[ask]("jump") end, "jump", "fire")
        t.fails(function() return input[ask](nil) end, "nil")
      end
      t.fails(function() return input.held("fire") end, "held", "down")
    end,
    ["without a device no action is down and all axes are 0"] = function(t)
      for _, name in ipairs { "fire", "aim", "turn", "nothing" } do
        t.is_false(input.down(name))
        t.is_false(input.pressed(name))
        t.is_false(input.released(name))
        t.equal(input.axis(name), 0)
      end
      local x, y = input.mouse()
      t.equal(type(x), "number")
      t.equal(type(y), "number")
      t.equal(input.mouse.dx, 0)
      t.equal(input.mouse.dy, 0)
      t.fails(function() return input.mouse.x end, "input.mouse has no x", "dx, dy", "input.mouse()")
      local function set(of, key) of[key] = 1 end
      t.fails(function() set(input.mouse, "dx") end, "input.mouse.dx cannot be assigned")
      t.fails(function() set(input.mouse, 1) end, "input.mouse[1] cannot be assigned")
      t.fails(function() return input.mouse[1].dx end, "only in games that declare players", "use input.mouse.dx")
      t.equal(input.device(), "keyboard")
      t.equal(#input.pads(), 0)
    end,
    ["input.bindings, input.prompt and input.label describe the inputs of an action"] = function(t)
      t.equal(table.concat(input.bindings("fire"), " "), "key:space pad:a mouse:left")
      t.equal(table.concat(input.bindings("turn", "negative"), " "), "key:left key:a")
      t.equal(#input.bindings("nothing"), 0)
      t.equal(input.prompt("fire"), "Space")
      t.equal(input.prompt("turn"), "Left / Right")
      t.equal(input.prompt("aim"), "Right Stick")
      t.equal(input.prompt("nothing"), "")
      t.equal(input.actions()[1], "aim")
      t.equal(input.label("pad:a", "playstation"), "Cross")
      t.fails(function() input.label("pad:a", "sega") end, "sega", "playstation")
      t.fails(function() input.label("pad:aa") end, "pad:aa", "is not a key")
    end,
    ["input.bind, reset and listen fail if the game cannot save settings"] = function(t)
      t.fails(function() input.bind("fire", "key:x") end, "settings.lua")
      t.fails(function() input.reset() end, "settings.lua")
      t.fails(function() input.listen("fire") end, "settings.lua")
      t.equal(input.listen(), nil)
      t.equal(#input.conflicts(), 0)
    end,
    ["input.rumble does not change the world and rejects invalid arguments"] = function(t)
      local before = world.hash()
      input.rumble(1, 0.5)
      input.rumble(0, 0, 2)
      t.equal(world.hash(), before)
      t.fails(function() input.rumble(1, -1) end, "seconds", "0 to 60")
      t.fails(function() input.rumble(1, 1, 5) end, "1 to 4")
    end,
  },
}

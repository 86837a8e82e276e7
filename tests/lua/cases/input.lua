return {
  outside = {
    ["an action that is not in input.lua is an error with those that are"] = function(t)
      for _, ask in ipairs { "down", "pressed", "released", "axis" } do
        t.fails(function() return input[ask]("jump") end, "jump", "fire")
        t.fails(function() return input[ask](nil) end, "nil")
      end
      t.fails(function() return input.held("fire") end, "held", "down")
    end,
    ["without a device nothing is held and the axes rest"] = function(t)
      for _, name in ipairs { "fire", "aim", "turn", "nothing" } do
        t.is_false(input.down(name))
        t.is_false(input.pressed(name))
        t.is_false(input.released(name))
        t.equal(input.axis(name), 0)
      end
      local x, y = input.mouse()
      t.equal(type(x), "number")
      t.equal(type(y), "number")
    end,
  },
}

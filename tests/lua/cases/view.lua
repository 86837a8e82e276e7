-- Conversions between world and screen coordinates. See tests/unit/follow_test.c for several cameras, and frame_test.c
-- for drawing.
return {
  outside = {
    ["an invalid point or camera is an error"] = function(t)
      t.fails(function() world.to_screen("here", 0) end, "world.to_screen: x must be a number, got text \"here\"")
      t.fails(function() world.from_screen(1) end, "world.from_screen: y must be a number, got nil")
      t.fails(function() world.to_screen(1, 2, "eye") end, "expected a camera entity or nil, got text \"eye\"")
      local e = world.spawn(nil, { transform = {} })
      t.fails(function() world.to_screen(1, 2, e) end, "must be an active camera with a visible view")
      e:destroy()
    end,
    ["a point in the world is converted to screen coordinates and back"] = function(t)
      local eye = world.spawn(nil, { transform = { x = 100, y = 50 }, camera = { zoom = 2 },
        viewport = { x = 10, y = 20, width = 200, height = 100 } })
      local x, y = world.to_screen(105, 50, eye)
      t.equal(x, 120)
      t.equal(y, 70)
      local back_x, back_y, through = world.from_screen(120, 70)
      t.equal(back_x, 105)
      t.equal(back_y, 50)
      t.equal(through, eye)
      eye:destroy()
    end,
  },
}

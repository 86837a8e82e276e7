return {
  eye = { components = { transform = { x = 480, y = 270 }, shaken = {},
    camera = { bloom = 0.4, background = "#f2a65a" } } },
  -- The spots show that the ball rolls. systems/roll.lua scales the ball to the size that is set in the options.
  ball = { components = { transform = { x = 300, y = 300 }, ball = {}, shape = { radius = 26, layer = 2 } },
    children = {
      left = { components = { transform = { x = -13, y = -4 },
        shape = { radius = 6, colour = "#ffffffb0", layer = 3 } } },
      right = { components = { transform = { x = 13, y = 5 },
        shape = { radius = 6, colour = "#ffffffb0", layer = 3 } } },
      top = { components = { transform = { x = 3, y = -15 },
        shape = { radius = 4, colour = "#30204080", layer = 3 } } },
      bottom = { components = { transform = { x = -4, y = 15 },
        shape = { radius = 4, colour = "#30204080", layer = 3 } } },
    } },
  puff = { components = { transform = {}, lifetime = { seconds = 0.4 }, shape = { layer = 1, blend = "add" } } },
}

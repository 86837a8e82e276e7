return { wind = { to = 120 } } -- speed that the wind approaches, in pixels per second

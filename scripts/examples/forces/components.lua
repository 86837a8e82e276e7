return { wind = { to = 120 } } -- final wind speed in pixels per second

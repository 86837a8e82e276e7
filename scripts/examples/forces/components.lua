return { wind = { to = 120 } } -- pixels a second that it grows to

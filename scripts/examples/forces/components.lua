return { wind = { to = 120 } } -- to: speed towards which the wind changes, in pixels per second

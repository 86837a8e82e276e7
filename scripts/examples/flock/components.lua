return { flight = { vx = 0, vy = 0 }, hawk = {} }

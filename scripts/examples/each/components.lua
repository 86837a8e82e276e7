return { ball = { vx = 0, vy = 0, radius = 20 } }

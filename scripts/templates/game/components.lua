return { ball = { vx = 120, vy = 80 } }

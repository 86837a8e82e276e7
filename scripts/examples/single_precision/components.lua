return { star = { vx = 0, vy = 0, heat = 0 } }

return { motion = { vx = 0, vy = 0 } }

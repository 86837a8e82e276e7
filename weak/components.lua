return { motion = { vx = 0 } }

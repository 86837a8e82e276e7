return { bullet = { player = 0 }, motion = { vx = 0, vy = 0, spin = 0 } }

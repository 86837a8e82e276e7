return { motion = { vx = 1 }, marker = {}, tally = shoal.types.single { mended = false, runs = 0 } }

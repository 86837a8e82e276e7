return { motion = { vx = 0 }, tally = shoal.types.single { runs = 0, direct = 0 } }

return { bead = { number = shoal.types.i32(0), height = 0, speed = 0 } }

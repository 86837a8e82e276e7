return { lost = shoal.types.single { steps = 0 } }

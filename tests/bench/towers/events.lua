return { creep_killed = { creep = shoal.types.entity } }

return { heard = { n = shoal.types.f64(0) } }

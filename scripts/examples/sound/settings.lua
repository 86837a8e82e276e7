return { music = shoal.types.f32(0.8, { min = 0, max = 1 }) }

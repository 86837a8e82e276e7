return { options = shoal.types.single { music = 0.7, sound = 0.5, shake = true, language = shoal.types.i32(1),
  health = 80 } }

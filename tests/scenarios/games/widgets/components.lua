local t = shoal.types
return { heard = t.single { pressed = t.i32(0), changed = t.i32(0), ended = t.i32(0), sum = 0, music = 0.5 } }

local t = shoal.types

return {
  orbit = { width = 300, height = 200, speed = 1, turn = 0, doc = "around the middle of the screen; turn in radians" },
  orbit_pitch = { base = 1, doc = "of its sound when it comes neither nearer nor goes away" },
  walker = { speed = 70, next_step = 0 },
  speech = t.single { left = 0, doc = "seconds for which the voice is still heard" },
}

local t = shoal.types

return {
  intent = { turn = 0, thrust = 0, doc = "what a boat is asked to do, -1 to 1 and 0 to 1, whoever asks" },
  boat = { speed = 0, score = t.i32(0) },
  player = {},
  machine = {},
  network = {},
  race = t.single { buoy = t.entity },
}

-- Keys without a number are the first player's, those with a 2 the second's. Each has a pad.
return {
  turn = { axis = "pad:leftx", negative = { "key:a", "key2:left" }, positive = { "key:d", "key2:right" } },
  thrust = { "key:w", "key2:up", "pad:a", "pad:righttrigger" },
  place = "mouse:left",
}

-- `key` bindings belong to the first player, `key2` bindings to the second. Each player has a pad.
return {
  turn = { axis = "pad:leftx", negative = { "key:a", "key2:left" }, positive = { "key:d", "key2:right" } },
  thrust = { "key:w", "key2:up", "pad:a", "pad:righttrigger" },
  place = "mouse:left",
}

-- One system fails in tick 10: its queued commands must be discarded, and the other systems must continue.
return {
  title = "Parked",
  start = function()
    world.spawn("thing")
  end,
}

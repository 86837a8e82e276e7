-- One system fails in its tenth tick; what it queued must not happen, and everybody else goes on.
return {
  title = "Parked",
  start = function()
    world.spawn("thing")
  end,
}

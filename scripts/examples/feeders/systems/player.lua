-- The first feeder: keyboard or gamepad.
return {
  phase = "input",
  query = { "intent", "player" },
  each = function(e)
    e.intent.turn = input.axis "steer"
    e.intent.thrust = input.down "go" and 1 or 0
  end,
}

-- Sets the player's intent from the keyboard or gamepad.
return {
  phase = "input",
  after = { "pause" },
  query = { "intent", "controls" },
  each = function(e)
    local turn = input.axis "turn"
    if input.down "left" then turn = turn - 1 end
    if input.down "right" then turn = turn + 1 end
    local intent = e.intent
    intent.turn = math.max(-1, math.min(1, turn))
    intent.thrust = input.down "thrust"
    intent.fire = input.down "fire"
    intent.warp = input.pressed "warp"
  end,
}

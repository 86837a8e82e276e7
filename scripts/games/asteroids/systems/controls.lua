-- Sets the intent of each ship from the keyboard or gamepad of its player.
return {
  phase = "input",
  after = { "pause" },
  query = { "intent", "controls", "ship" },
  each = function(e)
    local player = e.ship.player
    local turn = input.axis("turn", player)
    if input.down("left", player) then turn = turn - 1 end
    if input.down("right", player) then turn = turn + 1 end
    local intent = e.intent
    intent.turn = math.max(-1, math.min(1, turn))
    intent.thrust = input.down("thrust", player)
    intent.fire = input.down("fire", player)
    intent.warp = input.pressed("warp", player)
  end,
}

-- Sets the intent of players' hunters from their player's keys or gamepad.
return {
  before = "walk",
  when = { match = { phase = { "title", "hunt" } } },
  query = { "rides", "hunter", "intent" },
  each = function(e)
    local player = e.hunter.home.stash.player
    local x, y = input.axis("go_x", player), input.axis("go_y", player)
    local length = math.max(1, math.sqrt(x * x + y * y))
    e.intent.x, e.intent.y, e.intent.dash = x / length, y / length, input.pressed("dash", player)
  end,
}

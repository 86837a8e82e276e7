-- Sets the hero's intent from the keyboard or gamepad. In other states of the hero, puppet.lua or pilot.lua sets it.
return {
  phase = "input",
  when = { play = { phase = "playing" } },
  query = { "intent", "player" },
  each = function(e)
    local intent = e.intent
    intent.x, intent.y = input.axis "go_x", input.axis "go_y"
    intent.strike, intent.cast = input.pressed "strike", input.pressed "cast"
  end,
}

-- Sets the hero's intent from the keyboard or gamepad. Two other systems set it instead: puppet.lua and pilot.lua.
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

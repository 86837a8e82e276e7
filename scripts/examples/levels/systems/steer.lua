-- Sets the hero's intent from the keys, and the walking direction from the intent.
return {
  phase = "input",
  query = { "intent", "walk" },
  each = function(e)
    e.intent.x, e.intent.y = input.axis("go_x"), input.axis("go_y")
    e.intent.plant = input.pressed("plant")
    e.walk.x, e.walk.y = e.intent.x, e.intent.y
  end,
}

-- Turns keys into an intent, and the intent into a walking direction.
return {
  phase = "input",
  query = { "intent", "walk" },
  each = function(e)
    e.intent.x, e.intent.y = input.axis("go_x"), input.axis("go_y")
    e.intent.plant = input.pressed("plant")
    e.walk.x, e.walk.y = e.intent.x, e.intent.y
  end,
}

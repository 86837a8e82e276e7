-- The keys become an intent; without any, the hero wanders as the slimes do.
return {
  phase = "input",
  query = { "intent", "walk" },
  each = function(e)
    e.intent.x, e.intent.y = input.axis("go_x"), input.axis("go_y")
    e.intent.plant = input.pressed("plant")
    e.walk.x, e.walk.y = e.intent.x, e.intent.y
  end,
}

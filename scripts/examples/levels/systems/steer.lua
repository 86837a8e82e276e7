-- The keys become an intent, and the intent says where the hero walks.
return {
  phase = "input",
  query = { "intent", "walk" },
  each = function(e)
    e.intent.x, e.intent.y = input.axis("go_x"), input.axis("go_y")
    e.intent.plant = input.pressed("plant")
    e.walk.x, e.walk.y = e.intent.x, e.intent.y
  end,
}

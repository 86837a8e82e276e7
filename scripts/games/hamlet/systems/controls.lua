-- Sets the intents of the heroes from the actions of their players. In the demo, systems/pilot.lua sets them.
return {
  phase = "pre_update",
  after = { "residents" },
  when = { play = { phase = "playing" } },
  query = { "intent", "hero", without = { "pilot" } },
  each = function(e)
    local intent, player = e.intent, e.hero.player
    intent.x, intent.y = input.axis("go_x", player), input.axis("go_y", player)
    intent.use, intent.back = input.pressed("use", player), input.pressed("back", player)
  end,
}

-- Answers each line of dialogue after 1.4 s in the demo, in which no player presses a key. Otherwise, the widget
-- `dialogue` (game.lua) shows the line and waits for the player.
return {
  phase = "pre_update",
  when = { play = { phase = "demo" } },
  query = { "saying" },
  each = function(e)
    if e.in_sequence[e.saying.branch].elapsed > 1.4 then e:answer(1) end
  end,
}

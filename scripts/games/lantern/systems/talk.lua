-- Closes the lines of a dialogue in the demo, in which no player presses a key. The widget `dialogue` (game.lua) shows
-- the lines; in a game, it waits for the player.
return {
  phase = "pre_update",
  when = { play = { phase = "demo" } },
  query = { "saying" },
  each = function(e)
    if e.in_sequence[e.saying.branch].elapsed > 1.4 then e:answer(1) end
  end,
}

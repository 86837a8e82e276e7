-- Closes dialogue lines for the demo's pilot, which has no input. The `dialogue` widget (game.lua) shows the lines and
-- waits for the player.
return {
  phase = "pre_update",
  when = { play = { phase = "demo" } },
  query = { "saying" },
  each = function(e)
    if e.in_sequence[e.saying.branch].elapsed > 1.4 then e:answer(1) end
  end,
}

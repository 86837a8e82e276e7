-- What is said, the widget `dialogue` shows and answers (game.lua); the pilot of the demo has no hands, and reads fast.
return {
  phase = "pre_update",
  when = { play = { phase = "demo" } },
  query = { "saying" },
  each = function(e)
    if e.in_sequence[e.saying.branch].elapsed > 1.4 then e:answer(1) end
  end,
}

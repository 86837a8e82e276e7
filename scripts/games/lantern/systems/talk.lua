-- Somebody says something: the pilot of the demo reads fast.
return {
  phase = "pre_update",
  query = { "saying" },
  each = function(e)
    local elapsed = e.in_sequence[e.saying.branch].elapsed
    if input.pressed "strike" or world.single.play.phase == "demo" and elapsed > 1.6 then e:answer(1) end
  end,
}

-- Removes a villager's text when its time is over.
return {
  query = { "speech" },
  each = function(e, dt)
    e.speech.left = math.max(0, e.speech.left - dt)
    if e.speech.left == 0 then e.speech.text = "" end
  end,
}

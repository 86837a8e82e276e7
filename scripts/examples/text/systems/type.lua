-- Reveals one more letter every other tick in text whose `shown` is not negative. Space restarts at the first letter.
return {
  query = { "text", "text_style" },
  each = function(e)
    local style = e.text_style
    if input.pressed("again") and style.shown > 0 then
      style.shown = 0
    elseif style.shown >= 0 and world.tick % 2 == 0 then
      style.shown = math.min(style.shown + 1, utf8.len(e.text.value))
    end
  end,
}

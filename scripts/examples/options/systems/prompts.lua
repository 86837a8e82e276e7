-- Shows the bindings on the most recently used device, as keycaps or buttons.
return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.text_style { markup = true }
    draw.colour(1, 1, 1, 0.7)
    draw.text("[prompt=run]  run      [prompt=jump]  jump      [prompt=dash]  dash      [prompt=menu]  options",
      30, 28, 20)
    draw.text_style()
  end,
}

-- Colours, sizes and sounds of the menus.
return {
  accent = "#b5482f", text = "#3b2616", dim = "#8a6a48", danger = "#a02c2c", fill = "#f1deb4", line = "#7a5230",
  size = 22, radius = 10, gap = 10, sounds = { focus = "ui_focus.wav", press = "card.wav", change = "ui_focus.wav" },
  styles = { title = { size = 36, font = "fonts/ui-bold.ttf" }, heading = { size = 26, font = "fonts/ui-bold.ttf" },
    button = { fill = "#e2c48a", focus = { fill = "#f7d88c", text = "#8d2a1f" } } },
}

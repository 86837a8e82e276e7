-- Colours, sizes and sounds of the menus.
return {
  accent = "#4debff", text = "#d8f2ff", dim = "#6f93a8", danger = "#ff8a1e", fill = "#02060c", line = "#17566b",
  size = 24, radius = 0, border = 2, gap = 10, styles = { title = { size = 40, font = "fonts/ui-bold.ttf" } },
  sounds = { focus = "ui_focus.wav", press = "ui_press.wav", change = "ui_focus.wav" },
}

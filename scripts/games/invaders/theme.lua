-- Colours, sizes and sounds of the menus.
return {
  accent = "#5cffa0", text = "#dfe8fb", dim = "#7f8fb0", danger = "#ff4fa3", fill = "#070b1c", line = "#27365e",
  size = 24, radius = 6, gap = 12, sounds = { focus = "ui_focus.wav", press = "ui_press.wav", change = "ui_focus.wav" },
  styles = { title = { size = 40, font = "fonts/ui-bold.ttf" } },
}

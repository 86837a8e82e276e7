-- Colours, sizes and sounds of the menus, which look like ink on paper.
local focus = { fill = "#b5332c", text = "#fff3d6" }
return { accent = "#b5332c", text = "#3a2216", dim = "#8a6f4e", danger = "#b5332c", fill = "#f4e4bc",
  line = "#8a6f4e", size = 24, radius = 3, gap = 10,
  sounds = { focus = "ui_focus.wav", press = "ui_press.wav", change = "ui_focus.wav" },
  styles = { title = { size = 40, font = "fonts/ui-bold.ttf" }, button = { fill = "#e9d19c", focus = focus } } }

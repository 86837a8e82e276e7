-- Menu style: black lines on canvas.
local focus = { fill = "#f2c11d", text = "#141414", line = "#141414" }
return { accent = "#d6281f", text = "#141414", dim = "#77726a", danger = "#d6281f", fill = "#f7f3e8", line = "#141414",
  size = 24, radius = 0, gap = 12, border = 4,
  sounds = { focus = "ui_focus.wav", press = "ui_press.wav", change = "ui_focus.wav" },
  styles = { title = { size = 40, font = "fonts/ui-bold.ttf" }, button = { fill = "#ffffff", focus = focus } } }

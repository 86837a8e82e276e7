-- The theme of the menu, with larger controls.
return {
  size = 20,
  padding = 10,
  gap = 10,
  styles = {
    name = { size = 46, text = "#bff2ff", font = "fonts/ui-bold.ttf" },
    command = { size = 17, text = "#c3d2e6", font = "fonts/mono.ttf" },
    seat = { fill = "#0a1020", line = "#22304a", border = 2, radius = 8, padding = 8 },
    state = { size = 18, text = "#7088a6", align = "end" },
    ready = { size = 18, text = "#4fd985", align = "end" },
    chat_name = { size = 17, font = "fonts/ui-bold.ttf" },
    chat_text = { size = 17, text = "#d5dfec" },
    note = { size = 17, text = "#7088a6" },
    hint = { size = 16, text = "#ffb859" },
    begin = { text = "#d9ffe8", fill = "#12452c", line = "#2f9c62", font = "fonts/ui-bold.ttf", align = "centre",
      hover = { fill = "#185c3b" }, focus = { fill = "#185c3b", line = "#8df0b8", border = 3, glow = 0.6 },
      disabled = { fill = "#10201a", line = "#22382d", text = "#5f7568" } },
  },
}

-- Smaller text than the default, because the menu shows a lot of information.
local CLEAR = "#00000000"
return {
  size = 19,
  padding = 18,
  styles = {
    name = { size = 54, text = "#bff2ff", font = "fonts/ui-bold.ttf" },
    message = { size = 20, text = "#ffb859" },
    card = { fill = "#0a1020", line = "#22304a", border = 2, radius = 8, padding = 0,
      hover = { fill = CLEAR, line = "#5f86b8" }, focus = { fill = CLEAR, line = "#7fe0ff", border = 3, glow = 0.6 },
      pressed = { fill = CLEAR, line = "#ffffff" } },
    card_title = { size = 19, align = "centre", padding = 4 },
    about = { size = 22, text = "#c3d2e6" },
    command = { size = 15, text = "#7088a6", font = "fonts/mono.ttf" },
    small = { size = 16, padding = 8 },
    matches = { hover = { fill = "#101a30" }, focus = { line = "#7fe0ff", border = 2, glow = 0.6 } },
    source = { font = "fonts/mono.ttf", size = 14, padding = 6, text = "#9fb4cc", fill = "#050812d0",
      focus = { text = "#c8d8ea" }, hover = { text = "#b4c6da" } },
  },
}

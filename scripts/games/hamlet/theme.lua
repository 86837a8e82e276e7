-- Widget style: the frames of assets/panel.png and button.png, and the game's colours.
return {
  text = "#f3ead2", dim = "#8c93b4", accent = "#f0a456", fill = "#1f1b33", line = "#575a84", danger = "#c33a4c",
  font = "pixels.ttf", size = 8, padding = 5, gap = 2, radius = 0, border = 1,
  sounds = { focus = "blip.wav", press = "blip.wav", change = "blip.wav" },
  styles = {
    panel = { image = "panel.png" },
    dialogue = { image = "panel.png" },
    title = { size = 16, font = "pixels.ttf", text = "#ffe186" },
    heading = { size = 8, font = "pixels.ttf" }, dim = { size = 8 },
    button = { padding = 3, focus = { text = "#ffe186" } },
  },
}

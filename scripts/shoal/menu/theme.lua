-- Smaller text than the default, because the menu shows a lot of information.
return {
  size = 19,
  padding = 18,
  styles = {
    name = { size = 54, text = "#bff2ff", font = "fonts/ui-bold.ttf" },
    message = { text = "#ffb859", size = 20 },
    source = { font = "fonts/mono.ttf", size = 14, padding = 6, text = "#9fb4cc", fill = "#050812d0",
      focus = { text = "#c8d8ea" }, hover = { text = "#b4c6da" } },
  },
}

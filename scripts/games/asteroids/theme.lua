-- Colours, sizes and sounds of the options, and of the menus, whose labels systems/draw_menus.lua draws in the game's
-- vector font.
local hidden = { text = "#00000000", fill = "#00000000", line = "#00000000", glow = 0 }

return {
  accent = "#8ff0ff", text = "#dcecff", dim = "#7f8fb0", danger = "#ff6a58", fill = "#060818", line = "#2b3a78",
  size = 22, radius = 4, gap = 10, sounds = { focus = "blip.wav", press = "blip.wav", change = "blip.wav" },
  styles = { vector = { text = hidden.text, fill = hidden.fill, line = hidden.line, glow = 0, padding = 6,
    hover = hidden, focus = hidden, pressed = hidden, disabled = hidden } },
}

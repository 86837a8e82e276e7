-- The field, its colours, and the rows of the fleet from the top: which frames, worth what.
local colours = { { 1.15, 0.32, 0.75, 1 }, { 0.80, 0.42, 1.2, 1 }, { 0.38, 0.60, 1.25, 1 }, { 0.25, 0.95, 1.1, 1 },
  { 0.35, 1.1, 0.60, 1 } }

return {
  ground = 690, cannon = 656, left = 60, right = 1220, saucer = 84, shot = 920, -- pixels a second
  cyan = { 0.30, 0.95, 1.15, 1 }, red = { 1.3, 0.35, 0.30, 1 }, gold = { 1.2, 0.85, 0.35, 1 }, green = colours[5],
  row = function(row, wave) return colours[(row + wave - 2) % 5 + 1] end, -- another one each wave
  frames = { 1, 3, 3, 5, 5 }, points = { 30, 20, 20, 10, 10 },
  bunker = { "..########..", ".##########.", "############", "############", "############", "####....####",
    "###......###", "###......###" },
}

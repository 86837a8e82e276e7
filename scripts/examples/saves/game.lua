-- Saves: a meadow with flowers. Click to plant one; more flowers grow by themselves. Keys 1, 2 and 3 save the meadow,
-- Q, W and E restore it exactly, including the wind. The saves and their pictures are shown below the meadow. Saves are
-- files, so later runs can load them.
return {
  title = "Saves: a meadow",
  id = "example_saves",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for i = 1, 12 do
      world.spawn("flower", { transform = { x = 60 + i * 97, y = 250 + i * 53 % 190 },
        flower = { hue = i * 0.37 % 1, age = i % 4 } })
    end
  end,
}

-- A meadow that is saved. A click plants a flower, and some come by themselves. 1, 2 and 3 save the meadow, Q, W and E
-- bring it back as it was: flowers, the wind, all of it. What the saves look like is below: their pictures are images
-- like any other. They are files in the folder of the game's saves, and there in the next run, too.
return {
  title = "Saves: a meadow",
  id = "example_saves",
  width = 1280,
  height = 720,
  start = function()
    world.spawn("eye")
    for i = 1, 12 do
      world.spawn("flower", { transform = { x = 60 + i * 97, y = 250 + i * 53 % 190 },
        flower = { hue = i * 0.37 % 1, age = i % 4 } })
    end
  end,
}

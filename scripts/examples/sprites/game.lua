-- Sprites from sheets: clips, pivots, drawing order, a name plate whose border is not stretched, and materials. The
-- sheets are next to the images, in assets/*.json. Edit a sheet while this runs.
local TREES = { { 30, 60 }, { 62, 46 }, { 118, 40 }, { 212, 44 }, { 262, 60 }, { 298, 50 }, { 20, 128 }, { 92, 104 },
  { 236, 112 }, { 300, 132 }, { 56, 166 }, { 266, 172 }, { 180, 36 } }

return {
  title = "Sprites",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for row = 0, 2 do
      for column = 0, 4 do
        world.spawn("grass", { transform = { x = 32 + 64 * column, y = 32 + 64 * row } })
      end
    end
    for _, at in ipairs(TREES) do
      world.spawn("tree", { transform = { x = at[1], y = at[2] }, sprite = { flip = at[1] % 4 == 0 } })
    end
    world.spawn("fire", { transform = { x = 160, y = 92 } })
    world.spawn("knight", { transform = { x = 132, y = 96 } })
    for i = 1, 7 do
      world.spawn("slime", { transform = { x = 60 + 30 * i, y = i % 2 == 0 and 70 or 132 },
        slime = { seconds = 0.3 * i } })
    end
    world.spawn("plate")
  end,
}

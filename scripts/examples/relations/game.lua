-- Relations: guests and the dishes that they like, as pairs with a strength, drawn as lines. A dish grows with each
-- guest who likes it (world.who_targets), and sometimes a guest changes its mind. When a dish is eaten up, its pairs
-- are removed. When a guest leaves, its followers leave, too: a cascade, declared in components.lua.
return {
  title = "Relations: guests and dishes",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for i = 1, 7 do
      world.spawn("dish", { dish = { place = i } })
    end
    for i = 1, 42 do
      world.spawn("guest", { guest = { place = i } })
    end
  end,
}

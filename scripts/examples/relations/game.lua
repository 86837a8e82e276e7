-- Guests and what they like: pairs with a strength, drawn as lines. A dish grows with everybody who likes it
-- (world.who_targets), now and then a guest changes its mind, and when a dish is eaten up its pairs go with it. Who
-- leads a dance and leaves takes all that follow along: that is a cascade, declared in components.lua.
return {
  title = "Relations: who likes what",
  width = 1280,
  height = 720,
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

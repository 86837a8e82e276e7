-- Behaviours: cats, mice and a piece of cheese. behaviours/mouse.lua and behaviours/cat.lua declare components with
-- functions, `mouse` and `cat`, which keep their data in fields. A cat that catches a mouse sends it an event. Click to
-- move the cheese.
return {
  title = "Behaviours: cats and mice",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for i = 0, 8 do
      local colour = i % 2 == 0 and "#4b3a33" or "#453530"
      world.spawn("plank", { transform = { y = 40 + i * 80 }, shape = { colour = colour } })
    end
    world.spawn("cheese")
    for i = 1, 14 do
      world.spawn("mouse", { transform = { x = 90 + i * 373 % 1100, y = 90 + i * 211 % 520 } })
    end
    world.spawn("cat", { transform = { x = 160, y = 580 }, shape = { colour = "#ffb347" } })
    world.spawn("cat", { transform = { x = 1100, y = 160 }, shape = { colour = "#b7a6ff" } })
  end,
}

-- A game that shows the add-on.
return {
  title = "thing", width = 1280, height = 720,
  addons = { "../../thing" },
  start = function()
    world.spawn("eye")
    world.spawn("title", { text = { value = tr "thing.title" } })
    world.spawn("thing.spinner", { transform = { x = 640, y = 360 } })
  end,
}

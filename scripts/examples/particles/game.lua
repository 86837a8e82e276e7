-- Particles: a camp fire, a comet with a trail, a crystal, fireworks, snow, and dust where a ball lands. Change a
-- colour or a curve in assemblages.lua while this runs: particles that are already in the air change, too.
return {
  title = "Particles",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    world.spawn("stars", { transform = { x = 640, y = 250 } })
    world.spawn("hill", { transform = { x = 640, y = 640 } })
    world.spawn("camp", { transform = { x = 330, y = 566 } })
    world.spawn("crystal", { transform = { x = 1010, y = 500 } })
    world.spawn("comet")
    world.spawn("ball", { transform = { x = 660, y = 300 } })
    world.spawn("snow", { transform = { x = 640, y = -20 } })
  end,
}

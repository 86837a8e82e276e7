-- Fireflies with a finite state machine in their assemblage: `dark`, `glowing`, `fading`. A state is a set of
-- components; to enter one is to get what it has and to lose what only the old one had. Of a component that both
-- have (`lit`) the fields that no state names are kept.
return {
  title = "States: fireflies",
  width = 1280,
  height = 720,
  start = function()
    world.spawn("eye")
    for _ = 1, 90 do
      world.spawn("firefly", { transform = { x = world.random() * 1280, y = 120 + world.random() * 560 },
        wander = { phase = world.random() * 6.28 }, dark = { left = world.random() * 6 } })
    end
  end,
}

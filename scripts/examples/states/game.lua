-- Fireflies with a state machine in their assemblage: `resting`, `flashing`, `dimming`. A state is a set of components.
-- Entering a state adds its components and removes those that only the old state had. If both states have a component
-- (`lit`), the fields that the new state does not set keep their values.
return {
  title = "States: fireflies",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for _ = 1, 90 do
      world.spawn("firefly", { transform = { x = world.random() * 1280, y = 120 + world.random() * 560 },
        wander = { phase = world.random() * 6.28 }, dark = { left = world.random() * 6 } })
    end
  end,
}

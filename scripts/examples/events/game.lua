-- Fireworks. One system says that something happened (systems/launch.lua emits `burst`); others, which it knows nothing
-- of, hear of it: systems/sparks.lua makes sparks, systems/sky.lua lights the sky, systems/count.lua counts.
return {
  title = "Events: fireworks",
  width = 1280,
  height = 720,
  start = function()
    world.spawn("eye")
  end,
}

-- Fireworks with events. systems/launch.lua emits `burst`. Three independent systems handle it: systems/sparks.lua
-- spawns sparks, systems/sky.lua lights the sky, systems/count.lua counts the bursts.
return {
  title = "Events: fireworks",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
  end,
}

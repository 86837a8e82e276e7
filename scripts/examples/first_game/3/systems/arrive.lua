-- Spawns glow-worms up to a maximum of MAX.
local MAX = 26

return {
  every = 10, -- number of ticks; the game runs 60 ticks per second
  update = function()
    if world.count("worm") < MAX then
      local at = { x = world.random(-1200, 1200), y = world.random(-640, 640) }
      local worm = world.spawn("worm", { transform = at, worm = { turn = world.random(0, 6.3) } })
      world.tween(worm, "light.intensity", 0.6, 1.5, "sine_out", { from = 0 })
    end
  end,
}

-- Spawns glow-worms up to a maximum of WORMS, and a moth every six seconds up to a maximum of MOTHS.
local WORMS, MOTHS = 26, 12

local function edge()
  local side = world.random(0, 1) < 0.5 and -1 or 1
  return { x = side * 1300, y = world.random(-700, 700) }
end

return {
  every = 10, -- number of ticks; the game runs 60 ticks per second
  update = function()
    if world.count("worm") < WORMS then
      local at = { x = world.random(-1200, 1200), y = world.random(-640, 640) }
      local worm = world.spawn("worm", { transform = at, worm = { turn = world.random(0, 6.3) } })
      world.tween(worm, "light.intensity", 0.6, 1.5, "sine_out", { from = 0 })
    end
    if world.tick % 360 == 0 and world.count("moth") < MOTHS then
      world.spawn("moth", { transform = edge() })
    end
  end,
}

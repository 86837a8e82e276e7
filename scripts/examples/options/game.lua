-- Key bindings: a ball that rolls and jumps, prompts that show the current keys, and the options screen, opened with
-- one line of code. Press Tab or Start to open the screen. Bindings are kept between runs.
return {
  title = "Options",
  width = 960,
  height = 540,
  buses = { music = 1, effects = 1 },
  start = function()
    world.spawn("eye")
    for i = 0, 11 do
      world.spawn("hill", { transform = { x = i * 96 + 20, y = 500 + (i % 3) * 14 },
        shape = { radius = 110 + (i * 37 % 50), colour = { 0.07, 0.13 + 0.02 * (i % 3), 0.2, 1 } } })
    end
    world.spawn("ground")
    world.spawn("ball", { name = "ball" })
  end,
}

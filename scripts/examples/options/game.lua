-- Key bindings: a ball that rolls and jumps, prompts that show the current keys, and the options screen, opened with
-- one line of code. Press Tab or Start to open the screen. Bindings are kept between runs.
return {
  title = "Options",
  width = 960,
  height = 540,
  addons = { "caption" },
  buses = { music = 1, effects = 1 },
  start = function()
    world.spawn("eye")
    world.spawn("ball", { name = "ball" })
  end,
}

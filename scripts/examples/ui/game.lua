-- Each widget once: a menu, an options panel, a list, an entry, bars, and a dialogue. Arrows and Enter, a pad, or the
-- mouse; nothing here draws or looks at a key.
return {
  title = "UI: widgets",
  width = 1280,
  height = 720,
  start = function()
    world.spawn("eye")
    world.spawn("hud")
    world.spawn("menu")
  end,
}

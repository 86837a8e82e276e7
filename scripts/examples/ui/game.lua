-- Every kind of widget: a menu, an options panel, a list, a text entry, bars and a dialogue. Use the arrow keys and
-- Enter, a pad, or the mouse. No code here draws or reads keys.
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

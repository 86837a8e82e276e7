-- Every kind of widget: labels, buttons, sliders, a checkbox, lists, a text entry, a bar and a dialogue. Use the arrow
-- keys and Enter, a pad, or the mouse. The example contains no code that draws widgets or reads keys.
return {
  title = "UI: widgets",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    world.spawn("hud")
    world.spawn("menu")
  end,
}

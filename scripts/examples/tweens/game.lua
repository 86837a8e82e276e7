-- All easings except `linear` next to each other: thirty dots move back and forth, each with its own easing.
-- systems/turn.lua moves them with a timer and a tween.
local FAMILIES = { "quad", "cubic", "quart", "quint", "sine", "expo", "circ", "back", "elastic", "bounce" }
local WAYS = { "in", "out", "in_out" }
local COLOURS = { { 0.45, 0.8, 1, 1 }, { 1, 0.72, 0.35, 1 }, { 0.65, 1, 0.55, 1 } }

return {
  title = "Tweens: easings",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for row, family in ipairs(FAMILIES) do
      for column, way in ipairs(WAYS) do
        local left = 152 + (column - 1) * 405
        world.spawn("dot", {
          transform = { x = left, y = 42 + row * 60 },
          dot = { ease = family .. "_" .. way, left = left },
          shape = { colour = COLOURS[column] },
        })
      end
    end
    world.after(0.6, "turn")
  end,
}

-- The camera, the fish in the menu's background, and the menu's page with all its widgets.
return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.35, background = { 0.01, 0.02, 0.05, 1 } } } },
  fish = {
    components = {
      transform = {},
      swim = {},
      shape = { kind = "polygon", points = { 11, 0, 3, -4, -6, -1, -12, -5, -10, 0, -12, 5, -6, 1, 3, 4 },
        blend = "add" },
    },
  },

  page = {
    components = { panel = { style = "plain", gap = 14 }, widget = { anchor = "fill", margin = 36 } },
    children = {
      { label = { text = "SHOAL", style = "name" } },
      { label = { text = "Type Lua, get SIMD. Break anything, lose nothing. Ask the world anything.", style = "dim" } },
      { name = "message", label = { style = "message", wrap = true } },
      { panel = { layout = "row", gap = 18 }, widget = { grow = 1 }, children = {
        { panel = { style = "box", gap = 8 }, widget = { width = 362 }, children = {
          { label = { text = "Games", style = "heading" } },
          { name = "games", list = { rows = 4 } },
          { label = { text = "Examples", style = "heading" } },
          { name = "examples", list = { rows = 10, selected = 0 }, widget = { grow = 1 } },
        } },
        { panel = { style = "box", gap = 12 }, widget = { grow = 1 }, children = {
          { panel = { layout = "row", gap = 18, align = "start" }, children = {
            { name = "picture", label = {}, widget = { width = 320, height = 180 } },
            { panel = { gap = 6, align = "start" }, widget = { grow = 1 }, children = {
              { name = "title", label = { style = "heading" } },
              { name = "about", label = { wrap = true, style = "dim" }, widget = { width = 440 } },
            } },
          } },
          { name = "source", list = { rows = 14, style = "source" }, widget = { grow = 1 } },
        } },
      } },
      { label = { text = "Arrows and Enter, gamepad or mouse: choose     Tab: view source     Escape: back, quit",
        style = "dim", align = "centre" } },
    },
  },
}

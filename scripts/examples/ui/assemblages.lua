-- Returns a column: a panel with a heading above the widgets `children`.
local function create_column(heading, children)
  table.insert(children, 1, { label = { text = heading, style = "heading" } })
  return { panel = { style = "box" }, widget = { grow = 1 }, children = children }
end

return {
  eye = { components = { transform = { x = 640, y = 360 },
    camera = { bloom = 0.35, background = { 0.012, 0.016, 0.035, 1 } } } },

  hud = {
    components = { panel = { layout = "row", style = "plain", keys = false },
      widget = { anchor = "top_left", margin = 24 } },
    children = {
      { label = { text = "Health" } },
      { name = "health", bar = { bind = "options.health", max = 100, colour = "#ff5d6c" }, widget = { width = 260 } },
    },
  },

  menu = {
    components = { panel = { gap = 18 }, widget = { width = 1100 } },
    children = {
      { label = { text = "Widgets", style = "title" } },
      { panel = { layout = "row", gap = 18 }, children = {
        create_column("Buttons", {
          { panel = {}, widget = { height = 196 }, children = { -- scrolls, because its content overflows
            { button = { text = "Talk", emits = "talk" } },
            { button = { text = "Ask something", emits = "open" } },
            { button = { text = "Ouch", emits = "damage", style = "danger" } },
            { button = { text = "Not now" }, widget = { disabled = true } },
            { button = { text = "Talk again", emits = "talk" } },
            { button = { text = "Ask again", emits = "open" } },
          } },
        }),
        create_column("Options", {
          { slider = { text = "Music", bind = "options.music" } },
          { slider = { text = "Sound", bind = "options.sound", step = 0.05 } },
          { checkbox = { text = "Shake", bind = "options.shake" } },
          { list = { text = "Language", items = "English\nDeutsch\nFrançais", rows = 1, bind = "options.language" } },
        }),
        create_column("Lists and words", {
          { list = { items = "Sword\nShield\nLantern\nRope\nTwo apples\nA key\nA letter\nA map\nBread", rows = 4 } },
          { entry = { placeholder = "Your name", max = 24 } },
        }),
      } },
    },
  },

  ask = {
    components = { name = "ask", panel = { modal = true }, widget = { layer = 1 } },
    children = {
      { label = { text = "Really?", style = "title" } },
      { label = { text = "While this is open, the game hears no key." } },
      { button = { text = "Yes", emits = "close" } },
      { button = { text = "No", emits = "close", cancel = true } },
    },
  },
}

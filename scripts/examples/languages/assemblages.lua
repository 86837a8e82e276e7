-- Columns store keys of strings; the strings are looked up when they are drawn.
return {
  screen = { components = { transform = { y = -16 }, panel = { gap = 12 }, widget = { width = 640 } }, children = {
    { label = { text = "@title", style = "title", align = "centre" } },
    { label = { text = "@story", wrap = true, align = "centre" } },
    { list = { items = "English\nDeutsch\nPolski\nРусский", rows = 4, bind = "settings.language" } },
    { slider = { text = "@apples.slider", min = 0, max = 30, step = 1, bind = "basket.apples" } },
    { label = { style = "heading", align = "centre" }, name = "count" },
  } },
}

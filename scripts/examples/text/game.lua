-- Text: a sheet of type specimens. Each piece of text is an entity (assemblages.lua). systems/type.lua reveals text
-- letter by letter; press Space to restart it. systems/page.lua draws the paper. The fonts in assets/ add the
-- characters of Arabic, Hebrew, Chinese, Japanese and Korean, which Shoal's own font lacks.
return {
  title = "Text: spans, outlines, writing systems",
  width = 1280,
  height = 720,
  addons = { "caption" },
  fonts = { "arabic.ttf", "cjk.ttf" },
  start = function()
    for _, name in ipairs { "eye", "title", "motto", "story", "spans", "poem", "japanese", "chinese", "korean",
      "arabic", "hebrew" } do
      world.spawn(name)
    end
  end,
}

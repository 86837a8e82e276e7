-- Words: a sheet of specimens. Texts are entities (assemblages.lua); systems/type.lua writes one of them letter by
-- letter, systems/page.lua draws the paper, and space lets it be written again. The fonts of assets/ have Arabic,
-- Hebrew, Chinese, Japanese and Korean letters, which Shoal's own have not.
return {
  title = "Text: spans, outlines, writing systems",
  width = 1280,
  height = 720,
  fonts = { "arabic.ttf", "cjk.ttf" },
  start = function()
    for _, name in ipairs { "eye", "title", "motto", "story", "spans", "poem", "japanese", "chinese", "korean",
      "arabic", "hebrew", "hint" } do
      world.spawn(name)
    end
  end,
}

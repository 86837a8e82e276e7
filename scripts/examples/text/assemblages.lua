-- Returns an assemblage: text at x, y in a colour. The table `text` contains the other fields of the component `text`.
local function create_text(x, y, colour, text, style)
  text.colour = colour
  return { components = { transform = { x = x, y = y }, text = text, text_style = style } }
end

local INK, DIM, GOLD, CORAL, SKY = "#f3e9d8", "#a89f8f", "#ffcf70", "#ff8a6b", "#7fd4ff"
local left, right = 70, 690 -- x coordinates of the two columns of text
local wide = 520

return {
  eye = { components = { camera = { background = "#151826" } } },

  title = create_text(left, 40, GOLD, { value = "Words", size = 104, font = "fonts/ui-bold.ttf" },
    { outline = "#3b1f4d", outline_width = 5, shadow = "#000000a0", shadow_x = 7, shadow_y = 9 }),
  motto = create_text(left + 4, 168, DIM, { value = "office · affine · AVATAR · To Yo We · 1,234.50", size = 22 }),

  -- Revealed letter by letter; lines break as if the whole text were visible.
  story = create_text(left, 226, INK, { size = 24, wrap = wide, markup = true, value =
    "The lamp went out at [color=#ffcf70]nine[/]. Down at the harbour a bell rang [size=150%]twice[/], and somebody "
    .. "who had said nothing all evening said: [color=#7fd4ff]“There is a light on the water.”[/]" },
    { line_spacing = 1.15, shown = 0 }),

  spans = create_text(left, 412, INK, { size = 26, markup = true, wrap = wide, value =
    "Found [icon=gem.png] [color=#7fd4ff]3 sapphires[/] and [icon=coin.png] [color=#ffcf70][size=140%]240[/] gold[/]. "
    .. "Press [font=fonts/mono.ttf][color=#ff8a6b]SPACE[/][/] and read on; [[this] is no tag." }),

  poem = create_text(left + wide / 2, 590, CORAL, { size = 30, align = "center", valign = "middle", value =
    "to the left, to the right,\nand in the middle" }, { outline = "#2a1020", outline_width = 3 }),

  japanese = create_text(right, 56, INK, { size = 28, wrap = wide, value =
    "吾輩は猫である。名前はまだ無い。古池や、蛙飛びこむ水の音。「日本語のテキストは、文字の間で改行されます。」" }),
  chinese = create_text(right, 206, SKY, { size = 34, wrap = wide, value = "山不在高,有仙则名;水不在深,有龙则灵。" },
    { shadow_x = 3, shadow_y = 3 }),
  korean = create_text(right, 318, INK, { size = 28, wrap = wide, value = "안녕하세요, 세계! 게임을 시작합니다." }),
  arabic = create_text(right + wide, 384, GOLD, { size = 42, align = "right", wrap = wide, value =
    "مرحبا بالعالم! لدينا 240 قطعة ذهبية." }, { outline = "#3b1f4d", outline_width = 3 }),
  hebrew = create_text(right + wide, 512, INK, { size = 30, align = "right", wrap = wide, value =
    "שלום עולם (hello, world): שורה אחת, שתי שפות, 12 אותיות." }),
}

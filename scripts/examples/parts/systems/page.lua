-- Draws the page around the two pictures: frames, a card for each part, and the lines that the parts have printed.
local caption = require "caption"
local console, pen = require "lib.console", require "lib.pen"
local INK, PAPER = "#2a1f2d", "#f3e7cf"
local CARDS = { -- parts of the monster: name, colour, text of the values
  { "StatsPart", "#e58f6a", function(of) return ("health %g\ndamage %g"):format(of.health, of.damage) end },
  { "FlyingPart", "#8fb8e0", function(of) return ("speed %g\nheight %.0f"):format(of.speed, of.height) end },
  { "SpellsPart", "#9ad8a0", function(of) return ("healRate %g"):format(of.healRate) end },
  { "MonsterControllerPart", "#c9a2e0", function() return "target\nthe villager" end },
}
local KEYS = { StatsPart = "4: replace", FlyingPart = "1", SpellsPart = "2", MonsterControllerPart = "3" }

local function draw_text(words, x, y, size, align, colour)
  draw.colour(colour or INK)
  draw.text(words, x, y, size, align)
end

local function draw_card(e, part, colour, words, x, width, key)
  local has = e and e:has(part)
  pen.box(x, 446, width, 96, 10, INK)
  pen.box(x + 3, 449, width - 6, 90, 8, has and "#fffaf0" or "#d9cdb8")
  if has then
    pen.box(x + 3, 449, width - 6, 34, 8, colour)
    draw.rect(x + 3, 470, width - 6, 13)
  end
  draw.font("fonts/ui-bold.ttf")
  draw_text(part, x + 11, 457, 13, "left", has and INK or "#8d7f70")
  draw.font()
  draw_text(has and words(e[part]) or "detached", x + 11, 489, 16, "left", has and INK or "#8d7f70")
  if key then draw_text(key, x + width - 11, 518, 14, "right", "#8d7f70") end
end

local function draw_frames()
  draw.colour(PAPER)
  draw.rect(0, 0, 1280, 24)
  draw.rect(0, 430, 1280, 290)
  for _, gap in ipairs { { 0, 24 }, { 500, 16 }, { 1256, 24 } } do draw.rect(gap[1], 0, gap[2], 720) end
  draw.colour(INK)
  draw.rect(24, 24, 476, 406, false, 6)
  draw.rect(516, 24, 740, 406, false, 6)
end

local function draw_heading(words, x, y)
  draw.font("fonts/ui-bold.ttf")
  local width = draw.text_size(words, 18) + 28
  pen.box(x, y, width, 36, 4, INK)
  pen.box(x + 3, y + 3, width - 6, 30, 3, "#ffe27a")
  draw_text(words, x + 14, y + 7, 18)
end

local function draw_console()
  local single = world.single.console
  pen.box(24, 552, 1232, 120, 10, INK)
  draw.font("fonts/mono.ttf")
  for i, kind in ipairs(single.lines) do
    local newest = i == #single.lines
    draw_text("> " .. console.LINES[kind]:format(single.values[i]), 44, 560 + (i - 1) * 21, 16, "left",
      newest and "#ffe27a" or "#cbbfa8")
  end
end

return {
  phase = "render",
  update = function()
    local villager, monster = world.find("villager"), world.find("monster")
    draw.layer(8)
    draw_frames()
    draw_heading("A helpless villager", 21, 21)
    draw_heading("A monster", 513, 21)
    draw_card(villager, "StatsPart", CARDS[1][2], CARDS[1][3], 24, 476)
    for i, card in ipairs(CARDS) do
      draw_card(monster, card[1], card[2], card[3], 516 + (i - 1) * 189, 173, KEYS[card[1]])
    end
    draw_console()
    caption.draw("[prompt=FlyingPart] [prompt=SpellsPart] [prompt=MonsterControllerPart]: attach or detach a part   "
      .. "[prompt=StatsPart]: replace StatsPart   [prompt=again]: start again")
  end,
}

-- Draws the title, the demo's prompt, and the screens after death and victory.
local menu = require "menus"

local function draw_centred(text, y, size)
  draw.text(text, 160, y, size, "center")
end

-- Draws a line that is readable on the picture of the world.
local function draw_outlined(text, y)
  draw.text_style { outline = "#0e0b16", outline_width = 1 }
  draw_centred(text, y, 8)
  draw.text_style()
end

local function format_time(seconds) return ("%d:%02d"):format(math.floor(seconds / 60), math.floor(seconds) % 60) end

local screens = {}

function screens.title(play)
  draw.colour(1, 1, 1)
  draw.image("title.png", 160, 38 + math.floor(1.6 * math.sin(world.tick * 0.028) + 0.5))
  draw.colour("#c9cfe8")
  draw_outlined(tr("title.keys", { walk = menu.name_control { "go_y-", "go_x-", "go_y+", "go_x+" },
    strike = input.prompt "strike" }), 142)
  draw_outlined(tr("title.more_keys", { cast = input.prompt "cast", pause = input.prompt "pause.pause" }), 153)
  draw_outlined(menu.name_history_keys(), 164)
  draw.colour("#ffe186")
  if settings.best_time > 0 then draw_outlined(tr("title.best", { time = format_time(settings.best_time) }), 4) end
end

function screens.demo(play)
  if play.clock % 1.4 > 0.9 then return end
  draw.colour("#ffe186")
  local talk = world.count("saying") > 0 and world.find "talk"
  -- The dialogue must not cover the prompt.
  local y = talk and talk.widget.anchor == "bottom" and 6 or 166
  draw.text(tr("title.demo", { key = input.prompt "start" }), 310, y, 8, "right")
end

function screens.dead(play)
  draw.colour(0.055, 0.043, 0.086, math.min(0.7, play.clock))
  draw.rect(window.area())
  if world.find "slots" then return end -- the menu of the save slots would cover a part of the text
  draw.colour("#c33a4c")
  draw_centred(tr "dead.title", 66, 24)
  if play.clock > 1.5 then
    draw.colour("#f3ead2")
    draw_centred(tr("dead.again", { key = input.prompt "start" }), 100, 8)
  end
end

function screens.won(play)
  draw.colour(0.055, 0.043, 0.086, math.min(0.55, play.clock * 0.4))
  draw.rect(window.area())
  draw.colour(1, 1, 1)
  draw.image("title.png", 160, 50)
  draw.colour("#f3ead2")
  draw_centred(tr "won.title", 82, 16)
  draw.colour("#ffe186")
  draw_centred(tr("won.time", { time = format_time(play.time) }), 108, 8)
  if settings.best_time > 0 then draw_centred(tr("won.best", { time = format_time(settings.best_time) }), 122, 8) end
  draw.colour("#8c93b4")
  if play.clock > 2 then draw_centred(tr("title.press", { key = input.prompt "start" }), 150, 8) end
end

return {
  phase = "render",
  update = function()
    local play = world.single.play
    local screen = screens[play.phase]
    if not screen then return end
    draw.space("screen")
    draw.layer(30)
    draw.font("pixels.ttf")
    screen(play)
  end,
}

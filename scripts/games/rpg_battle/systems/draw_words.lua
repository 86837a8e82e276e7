-- Draws the title, the progress of the run, and prompts.
local parts, menu = require "lib.parts", require "menu"
local battles = assets.json "battles.json"

local function draw_text(text, x, y, size, align, colour)
  draw.colour(colour or "#fff3da")
  draw.text(text, x, y, size, align)
end

-- Returns the names of the controls that aim at a monster, for the device in use.
local function name_aim()
  local keys = menu.name_control { "last", "next" }
  return input.device() == "keyboard" and tr("aim", { keys = keys }) or keys
end

-- Draws the keys with their current functions.
local function draw_orders(match)
  local text = tr(match.holds and "orders.charge" or "orders.hold", { key = input.prompt("hold") })
  if not match.focus:alive() then
    text = tr("orders.two", { a = tr("orders.aim", { keys = name_aim() }), b = text })
  end
  if match.retreats > 0 then
    text = tr("orders.two", { a = text, b = tr("orders.retreat", { key = input.prompt("retreat") }) })
  end
  draw_text(text, 640, 672, 22, "center")
end

-- Announces the giant's attack.
local function draw_warning(match)
  for e in world.each("stomp") do
    if parts.is_raised(e) then
      local has_keys = not match.demo and not match.holds
      local text = tr(has_keys and "warning_and_keys" or "warning", { key = input.prompt("hold") })
      draw_text(text, 640, 64, 26, "center", "#ffb09a")
    end
  end
end

local function draw_screen(match)
  if match.phase == "title" then
    draw_text("RPG Battle", 640, 50, 110, "center")
    local best = settings.best > 0 and tr("menu.best_so_far", { n = settings.best }) or ""
    draw_text(best, 640, 196, 26, "center", "#ffe08a")
    if world.count("shoal.options") > 0 then return end
    draw_text(menu.name_history_keys(), 640, 692, 18, "center")
    return draw_text(tr("title.keys", { aim = name_aim(), hold = input.prompt("hold"),
      retreat = input.prompt("retreat"), pause = input.prompt("pause.pause") }), 640, 662, 20, "center")
  end
  draw_text(tr("battle", { n = match.battle, count = #battles }), 640, 16, 30, "center")
  if match.phase == "battle" then draw_warning(match) end
  draw_text(tr("menu.score", { n = match.score }), 24, 16, 30, "left", match.is_best and "#ffe08a" or nil)
  if match.demo then
    return draw_text(tr("menu.press_to_play", { key = input.prompt("skip") }), 1256, 18, 24, "right")
  end
  local best = match.is_best and tr "menu.new_best"
    or match.record > 0 and tr("menu.best", { n = match.record }) or ""
  draw_text(best, 1256, 16, 30, "right", match.is_best and "#ffe08a" or nil)
  if match.phase == "battle" then draw_orders(match) end
end

return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(700)
    draw.font("fonts/ui-bold.ttf")
    draw.text_style { outline = "#3b2616", outline_width = 3 }
    draw_screen(world.single.match)
    draw.text_style()
  end,
}

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
  return input.device() == "keyboard" and "click, " .. keys or keys
end

-- Draws the current function of the keys.
local function draw_orders(match)
  local aim = match.focus:alive() and "" or "Aim, for 50 % more damage: " .. name_aim() .. "     "
  local hold = input.prompt("hold") .. (match.holds and ": charge" or ": hold position")
  local retreat = match.retreats > 0 and "     " .. input.prompt("retreat") .. ": retreat, once a run" or ""
  draw_text(aim .. hold .. retreat, 640, 672, 22, "center")
end

-- Announces the giant's attack.
local function draw_warning(match)
  for e in world.each("stomp") do
    if parts.is_raised(e) then
      local answer = (match.demo or match.holds) and "" or "     " .. input.prompt("hold") .. ": step back"
      draw_text("The giant is about to stamp on all who stand near" .. answer, 640, 64, 26, "center", "#ffb09a")
    end
  end
end

local function draw_screen(match)
  if match.phase == "title" then
    draw_text("RPG Battle", 640, 50, 110, "center")
    if settings.best > 0 then draw_text("Best: " .. settings.best, 640, 196, 26, "center", "#ffe08a") end
    if world.count("shoal.options") > 0 then return end
    draw_text(menu.name_history_keys(), 640, 692, 18, "center")
    return draw_text("Aim, for 50 % more damage: " .. name_aim() .. "     Hold position: " .. input.prompt("hold")
      .. "     Retreat: " .. input.prompt("retreat") .. "     Pause: " .. input.prompt("pause.pause"), 640, 662, 20,
      "center")
  end
  draw_text("Battle " .. match.battle .. " of " .. #battles, 640, 16, 30, "center")
  if match.phase == "battle" then draw_warning(match) end
  draw_text("Score " .. match.score, 24, 16, 30, "left", match.is_best and "#ffe08a" or nil)
  if match.demo then return draw_text("Press " .. input.prompt("skip") .. " to play", 1256, 18, 24, "right") end
  local best = match.is_best and "New best!" or match.record > 0 and "Best " .. match.record or ""
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

-- Draws the title, the progress of the run, and prompts.
local battles = assets.json "battles.json"

local function draw_text(text, x, y, size, align, colour)
  draw.colour(colour or "#fff3da")
  draw.text(text, x, y, size, align)
end

local function draw_screen(match)
  if match.phase == "title" then
    draw_text("RPG Battle", 640, 50, 110, "center")
    if settings.best > 0 then draw_text("Best: " .. settings.best, 640, 196, 26, "center", "#ffe08a") end
    return draw_text("Choose a target: click, arrows     Hold position: " .. input.prompt("hold") .. "     Retreat: "
      .. input.prompt("retreat") .. "     Pause: Escape", 640, 672, 20, "center")
  end
  local order = match.holds and "Fighters hold position" or "Everyone charges"
  draw_text("Battle " .. match.battle .. " of " .. #battles, 640, 16, 30, "center")
  draw_text("Score " .. match.score, 24, 16, 30, "left", match.is_best and "#ffe08a" or nil)
  if match.demo then return draw_text("Press " .. input.prompt("skip") .. " to play", 1256, 18, 24, "right") end
  draw_text("Best " .. settings.best, 1256, 16, 30, "right")
  if match.phase == "battle" then
    local retreat = match.retreats > 0 and "     Retreat, once a run (" .. input.prompt("retreat") .. ")" or ""
    draw_text(order .. " (" .. input.prompt("hold") .. ")" .. retreat, 640, 672, 22, "center")
  end
  if match.phase == "over" and match.is_best then draw_text("New best score!", 640, 276, 32, "center", "#ffe08a") end
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

-- Draws the current and the longest rally, the controls on the title screen and below the paddles, the explanation
-- of the star until the first star is taken, the countdown of a serve, and the demo's prompt.
local looks, menu = require "looks", require "menu"
local KEYS, FADE = 2, 0.5 -- KEYS: seconds of play for which the keys are shown; FADE: seconds in which they disappear

-- Draws a line of text on a strip that hides the net.
local function draw_on_strip(text, y, size, colour)
  local width = draw.text_size(text, size)
  draw.colour(0.008, 0.010, 0.030)
  draw.rect(640 - width / 2 - 14, y - 6, width + 28, size + 14, true)
  draw.colour(unpack(colour))
  draw.text(text, 640, y, size, "center")
end

-- Draws the keys of this machine's players below their paddles, from the first serve until the first seconds of play
-- have passed.
local function draw_keys(match)
  local left = match.phase == "serve" and KEYS or match.phase == "play" and KEYS - match.clock or 0
  if match.players == 0 or match.left + match.right > 0 or left <= 0 then return end
  for e in world.each("paddle", "transform") do
    local side = e.paddle.side
    local player = match.players == 2 and (side < 0 and 1 or 2) or nil
    local r, g, b = unpack(looks.colour(side))
    draw.colour(r, g, b, math.min(1, left / FADE))
    local has_keys = player and menu.is_local(player) or not player and side < 0
    local y = e.transform.y + looks.paddle_height / 2 + 14
    -- If the field has no space below the paddle, draws the text above the paddle.
    if y > 660 then y = e.transform.y - looks.paddle_height / 2 - 40 end
    if has_keys then draw.text(input.prompt("move", player), e.transform.x, y, 22, "center") end
  end
end

return {
  phase = "render",
  update = function()
    local match = world.single.match
    draw.space("screen")
    draw.layer(7)
    draw.colour(0.75, 0.82, 1, 0.75)
    if match.phase == "title" then
      if world.count("shoal.options") > 0 then return end
      if settings.best > 0 then draw.text(tr("title.longest", { n = settings.best }), 640, 310, 22, "center") end
      draw.colour(0.5, 0.58, 0.8, 0.8)
      draw.text(tr "title.rules", 640, 634, 19, "center")
      draw.text(tr("title.keys", { move = menu.name_control { "move-", "move+" },
        pause = input.prompt("pause.pause") }), 640, 656, 19, "center")
      draw.text(menu.name_history_keys(), 640, 679, 16, "center")
      return
    end
    draw_keys(match)
    if match.players > 0 and match.stars == 0 and match.phase ~= "over" then
      draw_on_strip(tr "star", 660, 22, looks.gold)
    elseif match.rally > 1 and match.phase ~= "over" then
      local is_new_best = match.is_best and match.rally >= settings.best
      draw_on_strip(tr(is_new_best and "best_rally" or "rally", { n = match.rally }), 660, 22,
        is_new_best and { 1, 0.85, 0.4, 1 } or { 0.75, 0.82, 1, 0.75 })
    end
    if match.phase == "over" then
      local text = match.is_best and tr("over.new_best", { n = match.longest })
        or tr("over.longest", { n = match.longest, best = settings.best })
      draw.text(text, 640, 330, 26, "center")
    elseif match.phase == "serve" then
      draw.colour(0.75, 0.82, 1, 0.75)
      draw.circle(640, 360, 26 + 60 * (1 - math.min(1, match.clock / 0.9)) ^ 2, false, 2)
    end
    if match.players == 0 then
      draw_on_strip(tr("menu.press_to_play", { key = input.prompt("skip") }), 40, 22,
        { 1, 1, 1, 0.65 + 0.25 * math.sin(world.tick * 0.08) })
    end
  end,
}

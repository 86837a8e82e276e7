-- Score, best, lives and what to press.
local looks = require "looks"
local WHITE, DIM = { 0.85, 0.92, 1, 0.95 }, { 0.55, 0.63, 0.85, 0.9 }

local function write(words, x, y, size, align, colour)
  draw.colour(colour)
  draw.text(words, x, y, size, align)
end

return {
  phase = "render",
  update = function()
    local match = world.single.match
    draw.space("screen")
    draw.layer(7)
    if match.phase == "title" then
      for i, words in ipairs { 30, 20, 10, "?" } do write(words, 650 + (i - 2.5) * 210, 285, 24, "left", WHITE) end
      write("Best: " .. settings.best, 640, 350, 24, "center", WHITE)
      return write("Arrows or A and D, Space fires; or a pad. Escape pauses", 640, 640, 19, "center", DIM)
    end
    draw.font("fonts/ui-bold.ttf")
    local tone = match.is_best and looks.gold or WHITE
    local times = match.times > 1 and world.tick - match.hit_at < 100 and "  x" .. match.times or ""
    write(match.score .. times, 40, 18, 38, "left", tone)
    write("Best " .. settings.best, 1240, 26, 24, "right", DIM)
    local words = match.demo and "Press " .. input.prompt("skip") .. " to play" or "Wave " .. match.wave
    write(words, 640, 26, 24, "center", match.demo and { 1, 1, 1, 0.4 + 0.35 * math.sin(world.tick * 0.08) } or DIM)
    if match.phase == "over" then
      write((match.is_best and "A new best: " or "Score ") .. match.score, 640, 440, 30, "center", tone)
    end
    draw.colour(looks.cyan)
    local spare = match.lives - (world.find("cannon") and 1 or 0)
    for i = 1, spare do draw.image("figures.png", 1264 - i * 44, 80, 0, 2, 2, 9) end
  end,
}

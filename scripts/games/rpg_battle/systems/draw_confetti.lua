-- Draws confetti that falls over the field after the last battle was won.
local COUNT, SECONDS, FADE = 180, 9, 2 -- SECONDS: duration; FADE: seconds in which the confetti disappears at the end
local COLOURS = { "#ffe08a", "#e0604a", "#6fd08a", "#6aa8e8", "#fff3da", "#c08ae0" }

return {
  phase = "render",
  when = { match = { phase = "over", won = true } },
  update = function()
    local clock = world.single.match.clock
    if clock > SECONDS then return end
    local opacity = ("%02x"):format(255 * math.min(1, (SECONDS - clock) / FADE))
    draw.space("screen")
    draw.layer(690) -- a layer below the texts
    for i = 1, COUNT do
      -- The multipliers scatter the pieces: they have no factor in common with the ranges.
      local speed, phase = 90 + i * 37 % 80, i * 2.4
      local y = speed * clock - i * 83 % 460
      local x = i * 397 % 1300 - 10 + 26 * math.sin(clock * 1.7 + phase)
      local turn = math.cos(clock * 6 + phase) -- shows a piece from its side and its edge in turn
      if y > -12 and y < 720 then
        draw.colour(COLOURS[i % #COLOURS + 1] .. opacity)
        draw.rect(x, y, 11, 3 + 6 * math.abs(turn))
      end
    end
  end,
}

-- Draws the ball of the previous rally as a ghost: a ring where that ball was after the same time, and its path so far.
-- The first ghost of a match has a label.
local looks = require "looks"
-- In pixels. MARGIN: minimum distance of the label's middle from both sides of the screen; LOWEST: below this y, the
-- label is drawn above the ball, because the wall would cover it
local MARGIN, LOWEST = 140, 600

return {
  phase = "render",
  when = { match = { phase = "play" } },
  query = { "leg" },
  update = function(q)
    local match, elapsed = world.single.match, world.tick - world.single.track.from
    draw.layer(0)
    for i = 1, q.count do
      local leg = q.entity[i].leg
      if leg.is_ghost and elapsed >= leg.from then
        local share = math.min(1, (elapsed - leg.from) / math.max(1, leg.to - leg.from))
        local x, y = leg.x1 + (leg.x2 - leg.x1) * share, leg.y1 + (leg.y2 - leg.y1) * share
        draw.colour(0.7, 0.75, 1, math.max(0, 0.22 - math.max(0, elapsed - leg.to) / 400))
        draw.line(leg.x1, leg.y1, x, y, 1.5)
        if elapsed < leg.to then
          draw.colour(0.8, 0.85, 1, 0.6)
          draw.circle(x, y, looks.ball, false, 2)
          if match.left + match.right == 1 then
            local text_y = y > LOWEST and y - looks.ball - 32 or y + looks.ball + 6
            draw.text(tr "ghost", math.max(MARGIN, math.min(1280 - MARGIN, x)), text_y, 20, "center")
          end
        end
      end
    end
  end,
}

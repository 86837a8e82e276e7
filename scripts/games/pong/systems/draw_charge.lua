-- Draws a halo around the star and around charged paddles.
local looks = require "looks"

return {
  phase = "render",
  queries = { stars = { "star", "transform" }, paddles = { "paddle", "transform" } },
  update = function(q)
    local r, g, b = unpack(looks.gold)
    local pulse = 0.5 + 0.5 * math.sin(world.tick * 0.15)
    draw.layer(2)
    for i = 1, q.stars.count do
      local x, y = q.stars.transform.x[i], q.stars.transform.y[i]
      draw.colour(r, g, b, 0.12)
      draw.circle(x, y, 40 + 6 * pulse, true)
      draw.colour(r, g, b, 0.7)
      draw.circle(x, y, 34 + 4 * pulse, false, 2)
    end
    for i = 1, q.paddles.count do
      local x, y, height = q.paddles.transform.x[i], q.paddles.transform.y[i], looks.paddle_height + 20
      if q.paddles.paddle.charged[i] then
        draw.colour(r, g, b, 0.25 + 0.35 * pulse)
        draw.rect(x - 18, y - height / 2, 36, height, true)
        draw.colour(r, g, b, 1)
        draw.rect(x - 18, y - height / 2, 36, height, false, 3)
      end
    end
  end,
}

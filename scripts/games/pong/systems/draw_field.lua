-- Draws the walls, the net, and a grid of points that the ripples and the ball push aside, as wide as the window.
local looks = require "looks"
local STEP = 40

local function draw_walls(left, width)
  for _, y in ipairs { looks.wall - 3, looks.height - looks.wall + 3 } do
    draw.colour(0.45, 0.56, 1, 0.95)
    draw.line(left, y, left + width, y, 2)
  end
  local phase = world.single.match.phase
  if phase == "title" or phase == "over" then return end
  draw.colour(0.55, 0.66, 1, 0.7)
  for y = looks.wall, looks.height - looks.wall - 17, 32.75 do draw.rect(638, y, 4, 17, true) end
end

return {
  phase = "render",
  queries = { rings = { "ripple", "transform", "shape" }, balls = { "ball", "transform" } },
  update = function(q)
    local rings, balls = q.rings, q.balls
    draw.layer(-2)
    local left, _, width = window.area()
    draw_walls(left, width)
    for x = STEP / 2 - math.floor(-left / STEP) * STEP, left + width, STEP do
      for y = STEP, looks.height - STEP, STEP do
        local px, py, bright = x, y, 0.24
        for i = 1, rings.count do
          local dx, dy = x - rings.transform.x[i], y - rings.transform.y[i]
          local distance = math.sqrt(dx * dx + dy * dy) + 1
          local nearness = 1 - math.abs(distance - rings.shape.radius[i]) / 70
          if nearness > 0 then
            local push = nearness * rings.shape.colour.a[i]
            px, py, bright = px + dx / distance * push * 16, py + dy / distance * push * 16, bright + push * 0.6
          end
        end
        for i = 1, balls.count do
          local dx, dy = x - balls.transform.x[i], y - balls.transform.y[i]
          local nearness = 1 - math.sqrt(dx * dx + dy * dy) / 130
          if nearness > 0 then px, py, bright = px + dx * nearness * 0.3, py + dy * nearness * 0.3,
            bright + nearness * 0.45 end
        end
        local share = math.max(0, math.min(1, x / looks.width))
        draw.colour(0.3 + 0.7 * share, 0.75 - 0.4 * share, 1 - 0.2 * share, bright)
        draw.rect(px - 1.5, py - 1.5, 3, 3, true)
      end
    end
  end,
}

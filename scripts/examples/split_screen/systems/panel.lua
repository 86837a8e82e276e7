-- Draws, in each view, the score and an arrow to the beacon, with coordinates relative to the corner of the view.
-- Announces the winner across all views.
local caption = require "caption"
local WIDTH, HEIGHT = 478, 540

local function draw_arrow(eye, own)
  local goal = world.find("beacon").transform
  local x, y = world.to_screen(goal.x, goal.y, eye)
  x, y = x - own.x - WIDTH / 2, y - own.y - HEIGHT / 2
  if math.abs(x) < WIDTH / 2 - 20 and math.abs(y) < HEIGHT / 2 - 20 then
    return
  end
  local length = math.sqrt(x * x + y * y)
  x, y = x / length, y / length
  local reach = math.min((WIDTH / 2 - 34) / math.max(math.abs(x), 0.001),
    (HEIGHT / 2 - 34) / math.max(math.abs(y), 0.001))
  local cx, cy = WIDTH / 2 + x * reach, HEIGHT / 2 + y * reach
  draw.colour("#b6ff7a")
  draw.polygon { cx + x * 14, cy + y * 14, cx - x * 8 - y * 9, cy - y * 8 + x * 9, cx - x * 3, cy - y * 3,
    cx - x * 8 + y * 9, cy - y * 8 - x * 9 }
end

-- Marks, in the map view only, an object that would be too small to see there.
local function draw_mark(at, colour)
  draw.space("world", world.find("map"))
  draw.layer(20)
  draw.colour(colour)
  draw.circle(at.x, at.y, 44)
end

local function draw_keys()
  local function keys(player)
    return input.prompt("turn", player) .. ": turn   " .. input.prompt("thrust", player) .. ": fly"
  end
  caption.draw("Ten beacons win", { width = 960, height = 540, left = keys(1), right = keys(2) })
end

return {
  phase = "render",
  query = { "pilot" },
  update = function(q)
    for i = 1, q.count do
      local e, c = q.entity[i], { q.pilot.colour.x[i], q.pilot.colour.y[i], q.pilot.colour.z[i], 1 }
      local eye = q.pilot.eye[i]
      draw_mark(e.transform, c)
      draw.space("screen", eye)
      draw.layer(10)
      draw.colour(c)
      draw.text(e:name(), 20, 16, 18)
      for k = 1, 10 do
        draw.circle(28 + (k - 1) * 17, 52, 5, k <= q.pilot.score[i])
      end
      draw_arrow(eye, eye.viewport)
    end
    draw_mark(world.find("beacon").transform, "#b6ff7a")
    draw.space("screen")
    draw.layer(10)
    draw.colour(0.25, 0.35, 0.6, 0.9)
    draw.rect(384, 385, 192, 114, false, 2)
    local winner = world.single.match.winner
    if winner ~= "" then
      draw.colour(0, 0, 0, 0.7)
      draw.rect(0, 215, 960, 90)
      draw.colour(1, 1, 1)
      draw.text(winner .. " wins", 480, 236, 44, "center")
    end
    draw_keys()
  end,
}

-- Draws everything that is not an entity: the trails of the bees, the listener in the middle, and the volumes.
local caption = require "caption"
local TRAIL = 80

local function draw_bar(x, name, share, r, g, b)
  draw.colour(1, 1, 1, 0.07)
  draw.rect(x, 668, 180, 8, true)
  draw.colour(r, g, b, 0.9)
  draw.rect(x, 668, 180 * share, 8, true)
  draw.colour(0.75, 0.8, 0.9)
  draw.text(name, x, 642, 16)
end

return {
  phase = "render",
  query = { "orbit", "shape" },
  update = function(q)
    draw.blend("add")
    for i = 1, q.count do
      local colour, turn, back = q.shape.colour[i], q.orbit.turn[i], q.orbit.speed[i] > 0 and -0.012 or 0.012
      for k = 1, TRAIL do
        local fade = 1 - k / TRAIL
        draw.colour(colour.x, colour.y, colour.z, 0.16 * fade * fade)
        draw.circle(640 + math.cos(turn + k * back) * q.orbit.width[i],
          360 + math.sin(turn + k * back) * q.orbit.height[i], 7 * fade + 0.5, true)
      end
    end
    for k = 1, 3 do
      draw.colour(0.5, 0.6, 1, 0.13 / k)
      draw.circle(640, 360, k * 90, false, 1.5)
    end
    local speech = world.single.speech.left
    draw.colour(0.9, 0.85, 1, 0.6 + 0.4 * math.sin(world.tick * 0.5) * math.min(1, speech))
    draw.circle(640, 360, 13 + math.min(1, speech) * 5 * math.sin(world.tick * 0.9) ^ 2, true)
    draw.blend("alpha")
    draw.space("screen")
    draw_bar(60, "music (up, down)", settings.music * (speech > 0 and 0.15 or 1), 0.55, 0.65, 1)
    draw_bar(280, "voice (space)", math.min(1, speech), 0.91, 0.85, 1)
    caption.draw("Bees, steps and a voice around you. Click: drop a stone   [prompt=softer] [prompt=louder]: music   "
      .. "[prompt=speak]: voice")
  end,
}

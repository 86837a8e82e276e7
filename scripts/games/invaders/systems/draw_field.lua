-- Stars that drift, the ground, and tails of light behind what flies.
local looks = require "looks"

local function tails(flying, length, r, g, b)
  for i = 1, flying.count do
    for k = 0, 4 do
      draw.colour(r, g, b, 0.2 - k * 0.04)
      draw.rect(flying.transform.x[i] - 3 + k * 0.4, flying.transform.y[i] + k * length, 6 - k * 0.8, 18, true)
    end
  end
end

return {
  phase = "render",
  queries = { shots = { "shot", "transform" }, bombs = { "bomb", "transform" } },
  update = function(q)
    draw.layer(-3)
    for i = 1, 130 do
      local depth = 0.2 + (i * 37 % 80) / 100
      draw.colour(0.6, 0.7, 1, 0.12 + 0.45 * depth * (0.6 + 0.4 * math.sin(world.tick * 0.03 + i)))
      draw.circle(i * 797.3 % 1280, (i * 331.7 + world.tick * depth * 0.5) % 690, 0.5 + depth)
    end
    draw.colour(0.25, 0.9, 0.6, 0.9)
    draw.line(0, looks.ground, 1280, looks.ground, 2)
    draw.colour(0.2, 0.8, 0.6, 0.25)
    for i = -14, 14 do draw.line(640 + i * 48, looks.ground, 640 + i * 78, 720, 1) end
    draw.layer(0)
    draw.blend("add")
    tails(q.shots, 18, 0.3, 0.9, 1)
    tails(q.bombs, -18, 1, 0.5, 0.2)
  end,
}

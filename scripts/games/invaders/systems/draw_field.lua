-- Stars that drift, the ground, and tails of light behind shots.
local looks = require "looks"

return {
  phase = "render",
  query = { "shot", "transform" },
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
    draw.layer(5)
    draw.colour(0, 0, 0.02, world.single.match.phase == "over" and 0.7 or 0)
    draw.rect(0, 0, 1280, 720, true)
    draw.layer(0)
    draw.blend("add")
    for k = 1, 4 do -- shorter and shorter ones, one over the other
      draw.colour(0.3, 0.9, 1, 0.1)
      for i = 1, q.count do draw.rect(q.transform.x[i] - 2.5, q.transform.y[i], 5, k * 22, true) end
    end
  end,
}

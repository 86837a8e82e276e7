-- Balls in a box. `each` is the simplest form of a system: a function of one entity (systems/bounce.lua).
return {
  title = "Each: balls",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for i = 1, 60 do
      local hue, radius = i / 60, 10 + 30 * world.random() ^ 2
      world.spawn("ball", {
        transform = { x = world.random(60, 1220), y = world.random(60, 400) },
        ball = { vx = world.random(-240, 240), radius = radius },
        shape = { radius = radius, colour = { 0.5 + 0.5 * math.cos(6.28 * hue),
          0.5 + 0.5 * math.cos(6.28 * (hue - 0.33)), 0.5 + 0.5 * math.cos(6.28 * (hue - 0.67)), 0.95 } },
      })
    end
  end,
}

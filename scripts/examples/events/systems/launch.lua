-- Launches rockets. When the fuse of a rocket has burnt down, emits `burst` and destroys the rocket.
local COLOURS = { { 1, 0.35, 0.2 }, { 0.3, 0.7, 1 }, { 0.5, 1, 0.4 }, { 1, 0.8, 0.3 }, { 1, 0.4, 0.9 } }

return {
  query = { "rocket", "transform" },
  update = function(q, dt)
    local sky = world.single.sky
    sky.wait = sky.wait - dt
    if sky.wait <= 0 then
      sky.wait = 0.25 + 0.5 * world.random()
      local colour = COLOURS[world.random(#COLOURS)]
      world.spawn("rocket", { transform = { x = world.random(200, 1080), y = 720 },
        rocket = { fuse = 0.9 + 0.5 * world.random(), r = colour[1], g = colour[2], b = colour[3] } })
    end
    local rocket, y = q.rocket, q.transform.y
    for i = 1, q.count do
      y[i] = y[i] + rocket.vy[i] * dt
      rocket.fuse[i] = rocket.fuse[i] - dt
      if rocket.fuse[i] <= 0 then
        world.emit("burst", { x = q.transform.x[i], y = y[i], r = rocket.r[i], g = rocket.g[i], b = rocket.b[i],
          size = 0.7 + 0.6 * world.random() })
        q.entity[i]:destroy()
      end
    end
  end,
}

-- A galaxy: 12,000 stars orbit a centre. The systems that move and colour them (systems/gravity.lua, systems/glow.lua)
-- are plain loops in single precision, which are compiled to SIMD.
return {
  title = "Single precision: a galaxy",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    world.spawn_many("star", 12000, function(q)
      local x, y, vx, vy, heat = q.transform.x, q.transform.y, q.star.vx, q.star.vy, q.star.heat
      for i = 1, q.count do
        local arm, far = world.random(4), 30 + 320 * world.random() ^ 0.8
        local turn = arm * math.pi / 2 + far * 0.011 + (world.random() - 0.5) * 0.9 * (1 - far / 420)
        x[i], y[i] = 640 + far * math.cos(turn), 360 + far * math.sin(turn) * 0.62
        local speed = math.sqrt(90000 / far) * (0.97 + 0.06 * world.random())
        vx[i], vy[i] = -speed * math.sin(turn), speed * math.cos(turn) * 0.62
        heat[i] = world.random()
      end
    end)
  end,
}

return {
  phase = "input",
  start = function()
    world.spawn_many("unit", world.single.bench.count, function(q)
      local x, y, vx, vy = q.transform.x, q.transform.y, q.motion.vx, q.motion.vy
      for i = 1, q.count do
        x[i], y[i] = i * 1103 % 4096, i * 2713 % 4096
        vx[i], vy[i] = i % 129 - 64, i % 257 - 128
      end
    end)
  end,
}

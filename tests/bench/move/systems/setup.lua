return {
  phase = "input",
  start = function()
    world.spawn_many("mover", world.single.bench.count, function(q)
      local x, y, vx, vy = q.transform.x, q.transform.y, q.motion.vx, q.motion.vy
      for i = 1, q.count do
        x[i], y[i] = i % 1000, i % 700
        vx[i], vy[i] = 20 + i % 61, 20 + i % 53
      end
    end)
  end,
}

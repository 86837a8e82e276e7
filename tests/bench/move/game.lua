-- Moves 100,000 entities to measure the cost of a system in the `update` form. Run by tests/bench/run.
return {
  title = "Benchmark: move", width = 1280, height = 720, tick_rate = 60,
  start = function()
    world.spawn_many("mover", 100000, function(q)
      local x, y, vx, vy = q.transform.x, q.transform.y, q.motion.vx, q.motion.vy
      for i = 1, q.count do
        x[i], y[i] = i % 1000, i % 700
        vx[i], vy[i] = 20 + i % 61, 20 + i % 53
      end
    end)
  end,
}

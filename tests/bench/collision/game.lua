-- Bullets that collide only with ships: the cost of collisions in a bullet hell, compared with a grid in C. Uses ticks
-- of 1/64 s and integer speeds, as in iterate. Run by tests/bench/run.
return {
  title = "Benchmark: collision", tick_rate = 64,
  start = function()
    world.spawn_many("ship", 200, function(q)
      local x, y = q.transform.x, q.transform.y
      for i = 1, q.count do x[i], y[i] = i * 1237 % 4096, i * 2411 % 4096 end
    end)
  end,
}

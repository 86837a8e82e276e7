return {
  phase = "input",
  start = function()
    world.spawn_many("mover", world.single.bench.count, function(q)
      local x, y, vx, vy = q.position.x, q.position.y, q.velocity.x, q.velocity.y
      for i = 1, q.count do
        x[i], y[i] = i % 1000, i % 700
        vx[i], vy[i] = 1 + i % 61, 1 + i % 53
      end
    end)
  end,
}

-- Spawns sparks for each burst, then moves and fades them. A handler in `on` receives all bursts of the tick together,
-- as columns, like the rows of a query.
return {
  on = {
    burst = function(ev)
      for i = 1, ev.count do
        local from_x, from_y, r, g, b, size = ev.x[i], ev.y[i], ev.r[i], ev.g[i], ev.b[i], ev.size[i]
        world.spawn_many("spark", 150, function(q)
          for k = 1, q.count do
            local turn, speed = world.random() * 6.2832, size * 190 * world.random() ^ 0.35
            q.transform.x[k], q.transform.y[k] = from_x, from_y
            q.spark.vx[k], q.spark.vy[k] = speed * math.cos(turn), speed * math.sin(turn)
            local life = 1.1 + world.random()
            q.lifetime.seconds[k], q.spark.life[k] = life, life
            local white = world.random() * 0.4
            q.shape.colour.r[k], q.shape.colour.g[k], q.shape.colour.b[k] = r + white, g + white, b + white
          end
        end)
      end
    end,
  },
  query = { "spark", "transform", "shape", "lifetime" },
  update = function(q, dt)
    local x, y, vx, vy, alpha = q.transform.x, q.transform.y, q.spark.vx, q.spark.vy, q.shape.colour.a
    local left, life = q.lifetime.seconds, q.spark.life
    local keep = 1 - 1.5 * dt
    for i = 1, q.count do
      vx[i], vy[i] = vx[i] * keep, vy[i] * keep + 70 * dt
      x[i], y[i] = x[i] + vx[i] * dt, y[i] + vy[i] * dt
      alpha[i] = math.min(1, 1.4 * left[i] / life[i])
    end
  end,
}

-- Row i, counted from 1, gets the same values as in bench/plain/rows.c.
return {
  phase = "input",
  start = function()
    world.spawn_many("row", world.single.bench.count, function(q)
      for i = 1, q.count do
        local x, y, vx, vy = i % 1000, i % 700, i % 61 - 30, i % 53 - 26
        for _, c in ipairs { q.mover, q.pushed, q.thinker, q.drifter, q.orbiter, q.hunter } do
          c.x[i], c.y[i], c.vx[i], c.vy[i] = x, y, vx, vy
        end
        q.vital.hp[i], q.vital.max[i], q.vital.status[i] = i % 100 - 50, 100, i % 3
        q.struck.hp[i], q.struck.attack[i], q.struck.defence[i] = i % 5000, i % 7, i % 5
        q.thinker.thought[i], q.thinker.noise[i] = i % 10, i % 65521
        q.wrapped.x[i], q.wrapped.y[i], q.wrapped.margin[i] = i % 1500 - 250, i % 900 - 150, i % 32
        q.spark.life[i], q.spark.left[i], q.spark.peak[i] = 2 ^ (i % 4), i % 9 / 4, i % 4 / 4
        q.spark.vx[i], q.spark.vy[i], q.spark.drag[i], q.spark.shrinks[i] = vx, vy, i % 8 * 0.125, i % 2 == 0
        q.turner.vx[i], q.turner.vy[i], q.turner.wave[i] = vx, vy, i % 64 / 8
        q.counted.heat[i], q.counted.limit[i], q.counted.hits[i] = i % 7, i % 5, i % 1000
        q.hunter.prey[i] = q.entity[(i * 7919) % q.count + 1]
      end
    end)
  end,
}

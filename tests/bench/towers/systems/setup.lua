return {
  phase = "input",
  start = function()
    world.spawn_many("creep", 3 * world.single.bench.count, function(q)
      local x, y, creep = q.transform.x, q.transform.y, q.creep
      for i = 1, q.count do
        local leg = i * 7919 % 101 % 8
        x[i], y[i] = 60 + i * 37 % 1880, 100 + leg * 200 + i * 91 % 1000 / 500
        creep.leg[i], creep.speed[i] = leg * 2 + 1, 40 + i * 13 % 1000 / 20
      end
    end)
    world.spawn_many("tower", world.single.bench.count, function(q)
      for i = 1, q.count do
        q.transform.x[i], q.transform.y[i] = 80 + i * 53 % 1840, 200 + i % 7 * 200
        q.tower.wait[i] = i * 29 % 100 / 200
      end
    end)
  end,
}

-- Sprays drops from every nozzle. The query has one row per nozzle, so a fountain with three nozzles has three rows
-- with the same entity and transform.
return {
  query = { "nozzle", "transform" },
  update = function(q, dt)
    local nozzle = q.nozzle
    for i = 1, q.count do
      nozzle.wait[i] = nozzle.wait[i] - dt
      if nozzle.wait[i] <= 0 then
        nozzle.wait[i] = 0.03
        local angle, power = nozzle.angle[i] + (world.random() - 0.5) * 0.09,
          nozzle.power[i] * (0.95 + 0.1 * world.random())
        world.spawn("drop", {
          transform = { x = q.transform.x[i] + math.cos(angle) * 20, y = q.transform.y[i] + math.sin(angle) * 12 },
          drop = { vx = power * math.cos(angle), vy = power * math.sin(angle) },
          shape = { colour = { nozzle.r[i], nozzle.g[i], nozzle.b[i], 0.8 } },
        })
      end
    end
  end,
}

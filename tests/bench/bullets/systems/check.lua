return {
  phase = "post_update",
  queries = { moving = { "transform", "motion" }, ships = { "health" } },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local x, y, hp, totals = 0, 0, 0, world.single.totals
    for i = 1, q.moving.count do
      x, y = x + q.moving.transform.x[i], y + q.moving.transform.y[i]
    end
    for i = 1, q.ships.count do
      hp = hp + q.ships.health.hp[i]
    end
    local sums = { alive = q.moving.count, x = x, y = y, hp = hp, fired = totals.fired, hits = totals.hits,
      damage = totals.damage }
    for name, sum in pairs(sums) do
      print(("check %s %.17g"):format(name, sum))
    end
  end,
}

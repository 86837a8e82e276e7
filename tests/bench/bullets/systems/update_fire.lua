local directions = require "lib.directions"

return {
  when = { bench = { form = "update" } },
  after = "update_hits",
  query = { "transform", "gun" },
  update = function(q)
    local x, y, turn = q.transform.x, q.transform.y, q.gun.turn
    world.spawn_many("bullet_" .. world.single.bench.count, 10 * q.count, function(b)
      local bx, by, vx, vy = b.transform.x, b.transform.y, b.motion.vx, b.motion.vy
      for i = 1, b.count do
        local ship, k = math.floor((i - 1) / 10) + 1, (i - 1) % 10 + 1
        local way = directions[(turn[ship] + k) % 16 + 1]
        bx[i], by[i] = x[ship] + way[1], y[ship] + way[2]
        vx[i], vy[i] = way[1] * 64, way[2] * 64
      end
    end)
    world.emit_many("fired", q.count, function(fired)
      for i = 1, q.count do
        fired.ship[i], fired.number[i] = q.entity[i], 10
      end
    end)
    for i = 1, q.count do
      turn[i] = (turn[i] + 1) % 16
    end
  end,
}

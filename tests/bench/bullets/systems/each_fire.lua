local directions = require "lib.directions"

return {
  when = { bench = { form = "each" } },
  after = "each_hits",
  query = { "transform", "gun" },
  each = function(e)
    local transform, gun, bullet = e.transform, e.gun, "bullet_" .. world.single.bench.count
    for k = 1, 10 do
      local way = directions[(gun.turn + k) % 16 + 1]
      world.spawn(bullet, {
        transform = { x = transform.x + way[1], y = transform.y + way[2] },
        motion = { vx = way[1] * 64, vy = way[2] * 64 },
      })
    end
    gun.turn = (gun.turn + 1) % 16
    world.emit("fired", { ship = e, number = 10 })
  end,
}

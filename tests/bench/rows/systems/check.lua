-- Prints sums with the same bits as in C.
return {
  phase = "post_update",
  query = { "mover", "pushed", "vital", "struck", "thinker", "drifter", "wrapped", "spark", "turner", "orbiter",
    "hunter", "counted" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local function check(name, ...)
      local total = 0
      for _, column in ipairs { ... } do
        for i = 1, q.count do
          total = total + column[i]
        end
      end
      print(("check %s %.17g"):format(name, total))
    end
    check("move", q.mover.x, q.mover.y)
    check("push", q.pushed.x, q.pushed.y)
    check("health", q.vital.hp, q.vital.status)
    check("damage", q.struck.hp)
    check("complex", q.thinker.vx, q.thinker.vy, q.thinker.noise)
    check("drift", q.drifter.x, q.drifter.y, q.drifter.vx, q.drifter.vy)
    check("wrap", q.wrapped.x, q.wrapped.y)
    check("particles", q.spark.alpha, q.spark.scale, q.spark.vx, q.spark.vy)
    check("turn", q.turner.angle)
    check("orbit", q.orbiter.vx, q.orbiter.vy)
    check("counter", q.counted.hits)
    check("chase", q.hunter.vx, q.hunter.vy)
  end,
}

-- Prints sums with the same bits as in C; where f32 and f64 differ in the last bits, prints the mean in hundredths.
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
    local function about(name, ...)
      local total = 0
      for _, column in ipairs { ... } do
        for i = 1, q.count do
          total = total + column[i]
        end
      end
      print(("check %s %.17g"):format(name, math.floor(total / q.count * 100 + 0.5)))
    end
    check("move", q.mover.x, q.mover.y)
    check("push", q.pushed.x, q.pushed.y)
    check("health", q.vital.hp, q.vital.status)
    check("damage", q.struck.hp)
    check("complex", q.thinker.vx, q.thinker.vy, q.thinker.noise)
    check("drift", q.drifter.x, q.drifter.y, q.drifter.vx, q.drifter.vy)
    check("wrap", q.wrapped.x, q.wrapped.y)
    about("particles", q.spark.alpha, q.spark.scale, q.spark.vx, q.spark.vy)
    about("turn", q.turner.angle)
    about("orbit", q.orbiter.vx, q.orbiter.vy)
    check("counter", q.counted.hits)
    about("chase", q.hunter.vx, q.hunter.vy)
  end,
}

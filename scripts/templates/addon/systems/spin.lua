-- Rotates entities with `spin`, and counts the turns in the singleton `total`.
return {
  query = { "spin", "transform" },
  update = function(q, dt)
    local total = world.single.total
    for i = 1, q.count do
      q.transform.angle[i] = q.transform.angle[i] + q.spin.speed[i] * dt
      total.turns = total.turns + q.spin.speed[i] * dt / (2 * math.pi)
    end
  end,
}

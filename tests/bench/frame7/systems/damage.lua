local m = shoal.math

return {
  after = "health",
  query = { "health", "damage" },
  kernel = function(q)
    local hp, total = q.health.hp, q.damage.attack - q.damage.defence
    q.health.hp = m.select(m.all(m.gt(hp, 0), m.gt(total, 0)), m.max(hp - total, 0), hp)
  end,
}

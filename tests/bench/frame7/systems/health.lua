local rules = require "lib.rules"
local m = shoal.math

return {
  after = "complex",
  query = { "health" },
  kernel = function(q)
    local hp, status = q.health.hp, q.health.status
    local dead = m.eq(status, rules.DEAD)
    local dies = m.all(m.le(hp, 0), m.not_(dead))
    local returns = m.all(dead, m.eq(hp, 0))
    q.health.hp = m.select(dies, 0, m.select(returns, q.health.max, hp))
    q.health.status = m.select(dies, rules.DEAD, m.select(returns, rules.SPAWNING, rules.ALIVE))
  end,
}

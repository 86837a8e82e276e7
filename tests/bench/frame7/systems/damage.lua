return {
  after = "health",
  query = { "health", "damage" },
  precision = "single",
  update = function(q)
    local hp, attack, defence = q.health.hp, q.damage.attack, q.damage.defence
    for i = 1, q.count do
      local total = attack[i] - defence[i]
      if hp[i] > 0 and total > 0 then
        hp[i] = math.max(hp[i] - total, 0)
      end
    end
  end,
}

return {
  after = "health",
  query = { "health", "damage" },
  each = function(e)
    local total = e.damage.attack - e.damage.defence
    if e.health.hp > 0 and total > 0 then
      e.health.hp = math.max(e.health.hp - total, 0)
    end
  end,
}

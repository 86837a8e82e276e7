local rules = require "lib.rules"
return {
  after = "complex",
  query = { "health" },
  precision = "single",
  update = function(q)
    local hp, max_hp, status = q.health.hp, q.health.max, q.health.status
    for i = 1, q.count do
      if status[i] == rules.DEAD then
        if hp[i] == 0 then
          hp[i], status[i] = max_hp[i], rules.SPAWNING
        else
          status[i] = rules.ALIVE
        end
      elseif hp[i] <= 0 then
        hp[i], status[i] = 0, rules.DEAD
      else
        status[i] = rules.ALIVE
      end
    end
  end,
}

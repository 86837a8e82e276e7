local rules = require "lib.rules"
local SPAWNING, DEAD, ALIVE = rules.SPAWNING, rules.DEAD, rules.ALIVE

return {
  after = "complex",
  query = { "health" },
  each = function(e)
    local h = e.health
    if h.hp <= 0 and h.status ~= DEAD then
      h.hp, h.status = 0, DEAD
    elseif h.status == DEAD and h.hp == 0 then
      h.hp, h.status = h.max, SPAWNING
    else
      h.status = ALIVE
    end
  end,
}

-- A loop over columns with an optional component.
local seen = require("lib.seen")

return {
  query = { "probe", optional = { "shield" } },
  update = function(q, dt)
    local sight, shielded, power = q.probe.seen, q.has.shield, 0
    for i = 1, q.count do
      sight[i] = sight[i] + 1
      if shielded[i] then
        power = power + q.shield.power[i]
      end
    end
    seen.update_dt, seen.power = dt, power
  end,
}

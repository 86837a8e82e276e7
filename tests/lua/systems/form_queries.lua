-- A system with two named queries.
local seen = require("lib.seen")

return {
  queries = { probes = { "probe" }, tanks = { "gun", "health" } },
  update = function(q, dt)
    seen.probes, seen.tanks = q.probes.count, q.tanks.count
    if seen.want.queries then
      seen.queries_problem = select(2, pcall(function() return q.rocks.count end))
    end
  end,
}

-- A sequence with each kind of step.
local seen = require("lib.seen")

local function note(what)
  return { call = function(e)
    seen.note("intro", what, e.transform.x)
  end }
end

return {
  { wait = 0.1 },
  note "waited",
  { tween = "transform.x", to = 60, seconds = 0.1, from = 0 },
  note "moved",
  { wait_for = function(e) return e.health.hp == 0 end },
  { wait_for = function() return false end, seconds = 0.05 },
  note "heard",
  { all = { { wait = 0.1 }, { { wait = 0.05 }, note "in between" } } },
  note "both",
  { label = "again" },
  { wait = 0 },
  { jump = "again", times = 3 },
  note "through",
}

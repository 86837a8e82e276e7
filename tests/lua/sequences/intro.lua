-- A sequence with each kind of step.
local seen = require("lib.seen")

local function make_step(what)
  return { call = function(e)
    seen.note("intro", what, e.transform.x)
  end }
end

return {
  { wait = 0.1 },
  make_step "waited",
  { tween = "transform.x", to = 60, seconds = 0.1, from = 0 },
  make_step "moved",
  { wait_for = function(e) return e.health.hp == 0 end },
  { wait_for = function() return false end, seconds = 0.05 },
  make_step "heard",
  { all = { { wait = 0.1 }, { { wait = 0.05 }, make_step "in between" } } },
  make_step "both",
  { label = "again" },
  { wait = 0 },
  { jump = "again", times = 3 },
  make_step "through",
}

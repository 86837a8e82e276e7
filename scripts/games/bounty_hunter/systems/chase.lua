-- Makes chasing hunters head for their prey and ram it.
local heading = require "lib.heading"
return {
  before = "walk",
  after = "seek",
  when = { match = { phase = { "title", "hunt" } } },
  query = { "chases", "dash", "intent", "transform" },
  each = function(e, dt)
    local chases = e.chases
    chases.left = chases.left - dt
    if not chases.prey:alive() or chases.left < 0 or e.dash.rest > 0 then return e:enter("seeking") end
    local goal = chases.prey.transform
    heading.head(e, goal, heading.distance(e.transform, goal) < 120)
  end,
}

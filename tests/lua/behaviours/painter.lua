-- A behaviour that draws, tries to change the world while drawing, and records the errors.
local seen = require("lib.seen")

return {
  fields = { updates = 0 },
  update = function(self)
    self.updates = self.updates + 1
  end,
  render = function(self, dt)
    local painted = seen.want.painted
    if painted then
      painted.count, painted.updates, painted.dt = painted.count + 1, self.updates, dt
      painted.still = (painted.still or 0) + (dt == 0 and 1 or 0)
      painted.state = select(2, pcall(function() self.updates = 0 end))
      painted.entity = select(2, pcall(function() self.entity.transform.x = 1 end))
      painted.destroy = select(2, pcall(function() self.entity:destroy() end))
      draw.circle(self.entity.transform.x, self.entity.transform.y, 3)
    end
  end,
}

-- Lets the monster fly to new heights. Draws the wings.
local console, pen = require "lib.console", require "lib.pen"

return {
  fields = { speed = 20, height = 0, clock = 0 },
  update = function(self, dt)
    self.height = self.height + self.speed * dt
    if console.second_passes(self, dt) then console.say("flies", self.height) end
  end,
  render = function(self)
    local x, y = pen.monster(self.entity)
    local flap = 0.5 + 0.5 * math.sin(world.time * 7)
    draw.layer(0)
    for side = -1, 1, 2 do
      local function at(dx, dy) return x + side * dx, y + dy - flap * dx * 0.42 end
      local points = {}
      for _, p in ipairs { { 60, -8 }, { 120, -74 }, { 196, -92 }, { 244, -40 }, { 208, -34 }, { 192, 6 }, { 158, -8 },
        { 134, 34 }, { 104, 16 }, { 66, 44 } } do
        points[#points + 1], points[#points + 2] = at(p[1], p[2])
      end
      pen.polygon(points, "#7a3b78")
      draw.colour("#2a1f2d")
      for _, p in ipairs { { 208, -34 }, { 158, -8 }, { 104, 16 } } do
        local x1, y1 = at(118, -66)
        local x2, y2 = at(p[1], p[2])
        draw.line(x1, y1, x2, y2, 3)
      end
    end
  end,
}

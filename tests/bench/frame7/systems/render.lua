local rules = require "lib.rules"
local floor = math.floor
local WIDTH, HEIGHT = rules.WIDTH, rules.HEIGHT

return {
  after = "sprite",
  queries = { drawn = { "position", "glyph" }, grid = { "cell" } },
  update = function(q)
    local x, y, character = q.drawn.position.x, q.drawn.position.y, q.drawn.glyph.character
    local cells = q.grid.cell.character
    for i = 1, q.drawn.count do
      local px, py = x[i], y[i]
      if px >= 0 and py >= 0 and px < WIDTH and py < HEIGHT then
        cells[floor(py) * WIDTH + floor(px) + 1] = character[i]
      end
    end
  end,
}

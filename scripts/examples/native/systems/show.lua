-- Draws the rope between its beads, and a caption that says whether C or Lua moves it.
local rope = require "lib.rope"

return {
  phase = "render",
  query = { "bead", "transform" },
  update = function(q)
    local x, y, last = {}, {}, 0
    for i = 1, q.count do
      local number = q.bead.number[i]
      x[number], y[number] = q.transform.x[i], q.transform.y[i]
      last = math.max(last, number)
    end
    draw.colour(1, 0.72, 0.35, 0.6)
    for i = 2, last do
      if x[i - 1] and x[i] then draw.line(x[i - 1], y[i - 1], x[i], y[i], 3) end
    end
    draw.colour(0.6, 0.65, 0.75)
    draw.text("moved by " .. rope.by, 0, 260, 20, "center")
  end,
}

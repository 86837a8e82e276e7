-- Copies the columns into arrays for the library, runs a step, and copies the results back.
local rope = require "lib.rope"

-- Returns the y of a bead of the resting rope, which hangs between posts at both ends.
local function rest_height(number)
  local from_middle = (number - 32.5) / 31.5
  return -10 - 110 * from_middle * from_middle
end

return {
  query = { "bead", "transform" },
  start = function()
    log.info("the rope is moved by %s", rope.by)
  end,
  update = function(q, dt)
    local bead, y = q.bead, q.transform.y
    local height, speed = rope.lists(q.count)
    for i = 1, q.count do
      local at = bead.number[i] - 1
      height[at], speed[at] = bead.height[i], bead.speed[i]
    end
    rope.step(height, speed, q.count, dt)
    for i = 1, q.count do
      local at = bead.number[i] - 1
      bead.height[i], bead.speed[i], y[i] = height[at], speed[at], height[at] + rest_height(at + 1)
    end
  end,
}

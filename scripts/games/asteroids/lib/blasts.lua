-- Emits the event `explosion`, which the systems for sparks, sounds and camera shake handle.
local M = {}

---@param e shoal.Entity an entity with transform and motion
---@param power number 0 … 1
---@param colour number[] red, green, blue
function M.announce(e, power, colour)
  local t, m = e.transform, e.motion
  world.emit("explosion", {
    x = t.x, y = t.y, vx = m.vx, vy = m.vy, power = power, r = colour[1], g = colour[2], b = colour[3],
  })
end

return M

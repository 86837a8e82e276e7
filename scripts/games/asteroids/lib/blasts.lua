-- Emits the event `explosion`, which the systems for sparks, sounds and camera shake handle.
local M = {}

---@param e shoal.Entity an entity with transform and motion
---@param power number 0 … 1
---@param colour number[] red, green, blue
function M.announce(e, power, colour)
  local transform, motion = e.transform, e.motion
  world.emit("explosion", {
    x = transform.x, y = transform.y, vx = motion.vx, vy = motion.vy, power = power, r = colour[1], g = colour[2],
      b = colour[3],
  })
end

return M

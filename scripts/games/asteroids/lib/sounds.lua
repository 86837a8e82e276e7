-- Plays sounds, panned by their position and quieter in the demo.
local tuning = require "tuning"

local M = {}

---@return number factor for all volumes
function M.loudness() return world.single.game.phase == "demo" and 0.3 or 1 end

-- Returns the stereo position for an x coordinate.
---@param x number
---@return number pan -0.7 … 0.7
function M.pan(x) return math.max(-0.7, math.min(0.7, (x / tuning.width - 0.5) * 1.4)) end

---@param file string
---@param volume number
---@param x? number
function M.play(file, volume, x)
  audio.play(file, { volume = volume * M.loudness(), pan = x and M.pan(x) or 0 })
end

return M

-- The window, as scripts see it. What they ask for happens when the tick has ended; what they are told is part of the
-- tick's input sample, so that it is recorded and replayed.
local need = ...
local abi, report, state = need("abi"), need("report"), need("state")

---@class engine.window: shoal.Window
local M = {}

-- Fills the screen, or no longer; nil only asks. Does it, as far as the sample says?
function M.fullscreen(on)
  if state.loading then
    report.complain("window.fullscreen: there is no window while files are loaded; use it in game.lua's start or in a "
      .. "system")
  elseif on ~= nil and type(on) ~= "boolean" then
    report.complain("window.fullscreen takes true or false, or nothing, which only asks, not %s", report.plain(on))
  elseif on ~= nil then
    abi.requests.fullscreen = on and 1 or -1
  end
  return abi.input.window.fullscreen ~= 0
end

return M

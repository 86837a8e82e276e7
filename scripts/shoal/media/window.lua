-- The `window` API of scripts. Requests take effect after the tick. The state that scripts read is part of the tick's
-- input sample, so it is recorded and replayed.
local need = ...
local abi = need("base/abi")
local phases = need("base/phases")
local report = need("base/report")

---@class engine.window: shoal.Window
local M = {}

local function check_boolean(name, is_enabled)
  if is_enabled ~= nil and type(is_enabled) ~= "boolean" then
    report.raise("window.%s: expected true, false or nothing, got %s", name, report.describe(is_enabled))
  end
  return is_enabled ~= nil
end

-- Sets fullscreen mode if `is_enabled` is not nil. Returns the mode in the tick's input sample.
function M.fullscreen(is_enabled)
  phases.check(is_enabled == nil and "window.fullscreen" or "window.fullscreen(on)")
  if check_boolean("fullscreen", is_enabled) then
    abi.requests.fullscreen = is_enabled and 1 or -1
  end
  return abi.input.window.fullscreen ~= 0
end

local SCALES = { [0] = "fit", "integer", "stretch" } -- names, indexed by letterbox_mode_t
local SCALE_NUMBERS = { fit = 1, integer = 2, stretch = 3 }

-- Sets how the logical size is scaled to the window if `mode` is not nil. Returns the mode in the tick's input sample.
function M.scale(mode)
  phases.check(mode == nil and "window.scale" or "window.scale(mode)")
  if mode ~= nil and not SCALE_NUMBERS[mode] then
    report.raise("window.scale: expected fit, integer, stretch or nothing, got %s%s",
      report.describe(mode), report.suggest(mode, SCALE_NUMBERS))
  elseif mode then
    abi.requests.scale = SCALE_NUMBERS[mode]
  end
  return SCALES[abi.input.scale] or "fit"
end

-- Sets vertical synchronization if `is_enabled` is not nil. Returns its state in the tick's input sample.
function M.vsync(is_enabled)
  phases.check(is_enabled == nil and "window.vsync" or "window.vsync(on)")
  if check_boolean("vsync", is_enabled) then
    abi.requests.vsync = is_enabled and 1 or -1
  end
  return abi.input.tearing == 0
end

return M

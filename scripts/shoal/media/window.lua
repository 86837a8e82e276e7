-- The `window` API of scripts. Requests take effect after the tick. The state that scripts read is part of the tick's
-- input sample, so it is recorded and replayed.
local need = ...
local abi = need("base/abi")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local missing_assets = need("messages/missing_assets")

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

local SCALES = { [0] = "fit", "integer", "stretch", "expand" } -- names, indexed by letterbox_mode_t
local SCALE_NUMBERS = { fit = 1, integer = 2, stretch = 3, expand = 4 }

-- Sets how the logical size is scaled to the window if `mode` is not nil. Returns the mode in the tick's input sample.
function M.scale(mode)
  phases.check(mode == nil and "window.scale" or "window.scale(mode)")
  if mode ~= nil and not SCALE_NUMBERS[mode] then
    report.raise("window.scale: expected fit, integer, stretch, expand or nothing, got %s%s",
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

local area = abi.ffi.new("float[4]")

-- Returns the part of screen space that the window of this machine shows: the left and top edge, the width and the
-- height. It is larger than the logical screen only with the scale "expand".
---@return number x, number y, number width, number height
function M.area()
  phases.check("window.area")
  abi.C.draw_get_visible_area(abi.draw, area)
  return area[0], area[1], area[2], area[3]
end

local POINTER = { shown = "boolean", confined = "boolean", relative = "boolean", image = "string" }
local POINTER_EXAMPLE = "use window.pointer { shown = false } or, for the normal pointer, window.pointer {}"

local function check_pointer(settings)
  if type(settings) ~= "table" then
    report.raise("window.pointer: expected a table, got %s: %s", report.describe(settings), POINTER_EXAMPLE)
  end
  for key, v in pairs(settings) do
    if not POINTER[key] then
      report.raise("window.pointer has no field %s%s; available: %s", report.show(key), report.suggest(key, POINTER),
        report.join_names(POINTER))
    elseif type(v) ~= POINTER[key] then
      report.raise("window.pointer: %s must be a %s, got %s", key, POINTER[key], report.describe(v))
    end
  end
end

-- Sets the pointer's appearance and behaviour; missing fields get their default values. The pointer belongs to the
-- machine, so replays ignore this call.
function M.pointer(settings)
  phases.check("window.pointer")
  check_pointer(settings)
  local image = settings.image and scope.name("asset", settings.image) or ""
  if #image >= abi.ffi.sizeof(abi.requests.pointer.image) then
    report.raise("window.pointer: the image's name is longer than %d bytes: %s",
      abi.ffi.sizeof(abi.requests.pointer.image) - 1, report.show(image))
  elseif image ~= "" then
    missing_assets.check(image, "window.pointer")
  end
  local pointer = abi.requests.pointer
  pointer.hidden, pointer.confined = settings.shown == false, settings.confined == true
  pointer.relative, pointer.image = settings.relative == true, image
  abi.requests.has_pointer = true
end

return M

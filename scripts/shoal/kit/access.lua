-- Accessibility settings: less motion, flashes and shake, larger text, colours for colour-blind players, mono sound.
-- Every game with settings has them, and engine/world/components/access.c reads them. They belong to the machine, not
-- to the world, because they must not change the simulation.
local need = ...
local components = need("schema/component")
local types = need("schema/types")

---@class engine.access
local M = {}

-- Names of the accessibility settings, in the order of the options screen.
M.names = { "reduced_motion", "flashes", "shake", "text_size", "colours", "mono", "press_to_hold" }

local TEXT_SIZES = { "usual", "large", "largest" }
local COLOURS = { "usual", "protanopia", "deuteranopia", "tritanopia" }

local function create_fields()
  local t = types.types
  return { reduced_motion = false, flashes = t.f32(1, { min = 0, max = 1 }), shake = t.f32(1, { min = 0, max = 1 }),
    text_size = t.enum(TEXT_SIZES), colours = t.enum(COLOURS), mono = false, press_to_hold = false }
end

local added = {} ---@type table<string, boolean> settings that the game does not declare itself

-- Adds the settings to `fields`, except settings whose names the game already uses.
---@param fields table<string, any>
function M.add(fields)
  for name, field in pairs(create_fields()) do
    added[name] = fields[name] == nil
    if added[name] then
      fields[name] = field
    end
  end
end

-- Text size factors (TEXT_SCALES in engine/world/components/access.c).
local TEXT_SCALES = { usual = 1, large = 1.2, largest = 1.35 }

-- Returns the text size factor for the current value of the setting.
---@return number
function M.get_text_scale()
  return added.text_size and TEXT_SCALES[components.single.settings.text_size] or 1
end

-- Returns true if the setting is Shoal's own accessibility setting.
---@param name string
---@return boolean
function M.is_added(name)
  return added[name] == true
end

local DEFAULTS = { reduced_motion = false, flashes = 1, shake = 1, text_size = "usual", colours = "usual",
  mono = false, press_to_hold = false }

-- Returns true if the setting is Shoal's own, and has its default value.
---@param name string
---@param v any
---@return boolean
function M.is_default(name, v)
  return M.is_added(name) and DEFAULTS[name] == v
end

return M

-- Reports missing files of assets/, once per name, with the place that uses the file. The host keeps the place for
-- files that turn out to be invalid later.
local need, native = ...
local report = need("base/report")
local state = need("base/state")

---@class engine.wanted
---@field place? fun(): string
local M = {}
local seen = {}

---@param name string
---@param who string
---@param place? string
---@param sound? boolean
local function missing(name, who, place, sound)
  if native.is_silent and state.loading then
    return
  end
  seen[name] = true
  if name:find(",", 1, true) then -- a chain of fonts
    for part in name:gmatch("[^,]+") do
      local trimmed = part:match("^%s*(.-)%s*$")
      if trimmed ~= "" and seen[trimmed] == nil then
        missing(trimmed, who, place, sound)
      end
    end
    return
  end
  local asks = (place or report.placed("")) .. who
  local words = name ~= "" and native.missing_asset(name, asks, sound)
  if words then
    native.log("warn", asks .. ": " .. words)
  end
end

-- Checks a file used by the running script.
---@param name string
---@param who string "audio.play"
---@param sound? boolean the name of a sound, whose extension may be omitted
function M.look(name, who, sound)
  if seen[name] == nil then
    missing(name, who, nil, sound)
  end
end

-- Checks a file named by a field, in a declaration or by the running script. Skips names without an extension: a model
-- may be called "cube". M.place, if set, returns a place such as "assemblages.lua:3: ", when the stack does not contain
-- it.
---@param name string
---@param target engine.Target
---@param field engine.Field
function M.look_field(name, target, field)
  if seen[name] == nil and name:find("%.%w+$") then
    missing(name, target.label .. "." .. field.name, M.place and M.place())
  end
end

return M

-- Reports missing files of assets/, once per name, with the line of code that uses the file. native.missing_asset
-- passes that line to C, which includes it in the error message if an existing file turns out to be invalid.
local need, native = ...
local report = need("base/report")
local state = need("base/vm_state")

---@class engine.missing_assets
---@field get_location? fun(): string
local M = {}
local checked = {}

---@param name string
---@param function_name string
---@param location? string
---@param sound? boolean
local function report_missing(name, function_name, location, sound)
  if native.is_silent and state.loading then
    return
  end
  checked[name] = true
  if name:find(",", 1, true) then -- the name is a list of fonts
    for part in name:gmatch("[^,]+") do
      local trimmed = part:match("^%s*(.-)%s*$")
      if trimmed ~= "" and checked[trimmed] == nil then
        report_missing(trimmed, function_name, location, sound)
      end
    end
    return
  end
  local user = (location or report.add_location("")) .. function_name
  local problem = name ~= "" and native.missing_asset(name, user, sound)
  if problem then
    native.log("warn", user .. ": " .. problem)
  end
end

-- Logs a warning if a file that the running script uses is missing. Checks each name only once.
---@param name string
---@param function_name string function that uses the file, for the message: "audio.play"
---@param sound? boolean the name of a sound, whose extension may be omitted
function M.check(name, function_name, sound)
  if checked[name] == nil then
    report_missing(name, function_name, nil, sound)
  end
end

-- Like M.check, for a file whose name is in code at `location`, "systems/fire.lua:3: ".
---@param name string
---@param location string
---@param function_name string
---@param sound? boolean
function M.check_at(name, location, function_name, sound)
  if checked[name] == nil then
    report_missing(name, function_name, location, sound)
  end
end

-- Like M.check, for a file that is the value of a field, in a declaration or in the running script. Skips names without
-- an extension, because they need not be files: a model may be called "cube". M.get_location, if set, returns the
-- location of a declaration, which is not on the stack: "assemblages.lua:3: ".
---@param name string
---@param target engine.Target
---@param field engine.Field
function M.check_field(name, target, field)
  if checked[name] == nil and name:find("%.%w+$") then
    report_missing(name, target.label .. "." .. field.name, M.get_location and M.get_location())
  end
end

return M

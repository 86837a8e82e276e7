-- Checks the events that a served world keeps: `chronicle` in game.lua (engine/docs/served_worlds.md).
local need = ...
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")
local event = need("world/event")

local EXAMPLE = "chronicle = { trade = \"90 days\", quest_done = \"forever\" }"
local SECONDS = { hour = 3600, day = 86400, week = 604800 }
-- MAX_EVENTS and MAX_NAME_BYTES equal CHRONICLE_MAX_EVENTS and CHRONICLE_EVENT_BYTES - 1 in script/game_config.h.
local MAX_EVENTS, MAX_NAME_BYTES, MAX_SECONDS = 64, 63, 36500 * 86400
-- Columns of each view chronicle_EVENT before the fields of the event (served/chronicle_views.c).
local COLUMNS = { room = true, tick = true, at = true, account = true }

---@class engine.ChronicleSettings
local M = {}

---@class engine.KeptEvent
---@field event string
---@field seconds integer time for which the event is kept; 0: forever

-- Returns the number of seconds of "90 days"; 0 for "forever"; nil if the text is invalid or exceeds 36,500 days.
local function parse_duration(text)
  if text == "forever" then
    return 0
  end
  local number, unit = tostring(text):match("^(%d+) (%l+)$")
  local unit_seconds = unit and SECONDS[(unit:gsub("s$", ""))]
  local seconds = unit_seconds and tonumber(number) * unit_seconds
  return seconds and seconds > 0 and seconds <= MAX_SECONDS and seconds or nil
end

local function check_duration(name, text, fail)
  if type(text) ~= "string" or not parse_duration(text) then
    fail({ name }, "chronicle.%s must be a duration from \"1 hour\" to \"36500 days\" in hours, days or weeks, or "
      .. "\"forever\", got %s", report.show(name), report.describe(text))
  end
end

-- Calls `fail` if two columns of the view would have the same name, which SQL compares without regard to case. Records
-- and vectors have a column per value, such as "colors_r"; a list is one column.
local function check_columns(name, fail)
  local taken = {} -- column → field
  for _, field in ipairs(event.by_name[name].fields) do
    local label = field.list and field.base or field.name
    local column = label:gsub("%.", "_"):lower()
    if COLUMNS[column] or taken[column] and taken[column] ~= label then
      fail({ name }, "the field %s of the event %s cannot be kept, because the view chronicle_%s already has a column "
        .. "%s: rename the field", label, name, (name:gsub("%.", "_")), column)
    end
    taken[column] = label
  end
end

-- Checks the durations in `chronicle`. `has_rooms`: the game declares `serve`. `fail` reports a problem at the line
-- that report.find_line finds for the names inside `chronicle`.
---@param chronicle table
---@param has_rooms boolean
---@param fail fun(names: any[], format: string, ...)
function M.check(chronicle, has_rooms, fail)
  if not has_rooms then
    fail({}, "chronicle requires a served world: add serve = { rooms = { town = {} } }, or remove chronicle")
  end
  local names = sorted_keys(chronicle)
  for _, name in ipairs(names) do
    if type(name) ~= "string" then
      fail({ name }, "chronicle must be a table of events and durations, got the key %s: use %s", report.show(name),
        EXAMPLE)
    end
    check_duration(name, chronicle[name], fail)
  end
  if #names > MAX_EVENTS then
    fail({}, "chronicle has %d events: at most %d are possible", #names, MAX_EVENTS)
  end
end

-- Checks the events in `chronicle`: they must exist and belong to the game, and give view names that are unique and not
-- too long. Call it once all events are declared.
---@param chronicle table
---@param fail fun(names: any[], format: string, ...)
function M.check_events(chronicle, fail)
  local views = {} -- name of the view in lowercase → event
  for _, name in ipairs(sorted_keys(chronicle)) do
    local view = name:gsub("%.", "_"):lower()
    if not event.by_name[name] or name:find("^shoal%.") then
      fail({ name }, "chronicle: unknown event %s%s", report.show(name), event.hint(name))
    elseif #name > MAX_NAME_BYTES or views[view] then
      fail({ name }, "chronicle: the view chronicle_%s of the event %s %s: rename the event", view, name,
        views[view] and "is the view of " .. views[view] .. ", too" or "has a name that is too long")
    end
    views[view] = name
    check_columns(name, fail)
  end
end

-- Returns the events for C, sorted by name. `chronicle` has passed M.check.
---@param chronicle table
---@return engine.KeptEvent[]
function M.list(chronicle)
  local list = {}
  for _, name in ipairs(sorted_keys(chronicle)) do
    list[#list + 1] = { event = name, seconds = parse_duration(chronicle[name]) }
  end
  return list
end

return M

-- Functions of `world` for saves (save, load, saves, delete_save) and for entities as text (export, import).
local need, native = ...
local abi = need("base/abi")
local handle = need("base/handle")
local json = need("base/json")
local log = need("base/log")
local phases = need("base/phases")
local report = need("base/report")
local scene = need("kit/scene")
local entity = need("world/entity")
local query = need("world/query")
local world = need("world/world")
local ffi = abi.ffi

-- --- saves

-- The host executes the script requests at the end of the tick. The files are in the game's saves folder.

local function check_save_name(name, caller)
  if type(name) ~= "string" then
    report.raise("%s: expected the name of a save, got %s", caller, report.describe(name))
  elseif #name > 60 or not name:find("^[%w_%-][%w_%-%. ]*$") or name:find("..", 1, true) then
    report.raise("%s: invalid save name %q: use at most 60 letters, digits, spaces, \"-\", \"_\" and \".\"; it must "
      .. "not contain \"..\" or begin with a space or \".\"", caller, name)
  end
  return name
end

local MAX_REQUESTS = 16 -- equal to SCRIPT_MAX_SAVES in script/vm_desc.h

-- Returns true if `options` contains toast = false.
local function is_quiet(options, caller)
  if options == nil then
    return false
  elseif type(options) ~= "table" then
    report.raise("%s: expected options such as { toast = false }, got %s", caller, report.describe(options))
  end
  for key in pairs(options) do
    if key ~= "toast" then
      report.raise("%s has no option %s%s; available: toast", caller, report.show(key),
        report.hint(key, { toast = true }))
    end
  end
  if options.toast ~= nil and type(options.toast) ~= "boolean" then
    report.raise("%s: toast must be a boolean, got %s", caller, report.describe(options.toast))
  end
  return options.toast == false
end

local function add_request(name, should_delete, caller, is_silent)
  local requests = abi.requests
  if requests.save_count == MAX_REQUESTS then
    report.raise("%s: too many saves in one tick (at most %d): write or delete the rest in later ticks", caller,
      MAX_REQUESTS)
  end
  local request = requests.saves[requests.save_count]
  request.drop, request.name, request.quiet = should_delete, name, is_silent
  requests.save_count = requests.save_count + 1
end

-- Returns the most recent request of this tick for a save: "write", "delete", or nil if there is no request.
local function find_last_request(name)
  local requests = abi.requests
  for i = requests.save_count - 1, 0, -1 do
    if ffi.string(requests.saves[i].name) == name then
      return requests.saves[i].drop and "delete" or "write"
    end
  end
end

function world.functions.save(name, options)
  phases.check("world.save")
  local is_silent = is_quiet(options, "world.save")
  add_request(check_save_name(name, "world.save"), false, "world.save", is_silent)
end

function world.functions.load(name, options)
  entity.changing("world.load")
  check_save_name(name, "world.load")
  local is_silent = is_quiet(options, "world.load")
  local exists, problem = native.save_exists(name)
  local request = find_last_request(name)
  -- Requests for the same save have the same result during the whole tick (design/0018).
  if request == "write" then
    return false, name .. " is written at the end of this tick: load it in a later tick"
  elseif request == "delete" then
    return false, name .. " was deleted in this tick"
  end
  if exists then
    abi.requests.load, abi.requests.load_quiet = name, is_silent
  end
  return exists, problem
end

-- Returns the save slots, sorted by name; an empty list, with a warning, if the folder cannot be read. The contents of
-- the folder are recorded as external input.
function world.functions.saves()
  entity.changing("world.saves")
  local slots_json, problem = native.saves()
  if problem then
    log.warn("%s", report.add_location("world.saves: " .. problem))
  end
  return slots_json and json.decode(slots_json) or {}
end

function world.functions.delete_save(name, options)
  entity.changing("world.delete_save")
  check_save_name(name, "world.delete_save")
  local is_silent = is_quiet(options, "world.delete_save")
  local exists, problem = native.save_exists(name)
  local request = find_last_request(name)
  if request == "delete" then
    return false, name .. " was deleted in this tick"
  elseif exists or request == "write" then
    add_request(name, true, "world.delete_save", is_silent)
    return true
  end
  return exists, problem
end

-- --- entities as text

-- The text is a scene in JSON (store/scene.h). Exported files are also in the saves folder.

local function check_scene_name(name, caller)
  return check_save_name(type(name) == "string" and name:gsub("%.json$", "") or name, caller)
end

-- Returns all entities, or the entities that match a query, as text. If `name` is given, the text is also written to
-- NAME.json at the end of the tick.
function world.functions.export(name, declaration)
  phases.check("world.export")
  if name ~= nil then
    name = check_scene_name(name, "world.export")
  end
  local ids, count
  if declaration ~= nil then
    local list = query.list_entities(world.open_query(declaration, "world.export", true))
    count = #list
    ids = ffi.new("shoal_entity[?]", math.max(count, 1))
    for i = 1, count do
      ids[i - 1] = handle.get_id(list[i])
    end
  else
    local entities = abi.entities
    ids, count = ffi.new("shoal_entity[?]", entities.used), 0
    for index = 1, entities.used - 1 do
      if entities.alive[index] ~= 0 then
        ids[count] = index + entities.generation[index] * 2 ^ 22
        count = count + 1
      end
    end
  end
  local scene_text, problem = native.scene_write(tonumber(ffi.cast("uintptr_t", ids)), count)
  if scene_text and name then
    local is_written
    is_written, problem = native.scene_keep(name, scene_text)
    scene_text = is_written and scene_text
  end
  if not scene_text then
    report.raise("world.export: %s", problem)
  end
  return scene_text
end

-- Spawns the entities described by `source`, a JSON text or a file name. Spawns all entities or, on failure, no entity.
-- Returns a list of the entities in the order of the text, a table from ids and unique names to entities, and a list of
-- the references to other entities that could not be resolved. Skips removed fields and components with a warning.
function world.functions.import(source)
  entity.changing("world.import")
  local location = "line "
  -- On failure, the results are nil, the message and the line. On success, `lost_or_line` lists the lost references,
  -- and `skipped_or_place` the skipped fields.
  local spawned, names_or_message, lost_or_line, skipped_or_place
  if type(source) ~= "string" then
    report.raise("world.import: expected JSON text or the name of a file, got %s", report.describe(source))
  elseif source:find("^%s*[{%[]") then
    spawned, names_or_message, lost_or_line, skipped_or_place = scene.read_text(source, true)
  else
    local name = check_scene_name(source, "world.import")
    spawned, names_or_message, lost_or_line, skipped_or_place = scene.read_file(name)
    location = name .. ".json:"
  end
  if not spawned then
    report.raise("world.import: %s%s", lost_or_line > 0 and location .. lost_or_line .. ": " or "", names_or_message)
  end
  for line, message in skipped_or_place:gmatch("(%d+)\t([^\n]*)") do
    log.warn("%s", report.add_location(("world.import: %s%s: %s: skipped"):format(location, line, message)))
  end
  local lost_references = {}
  for text in lost_or_line:gmatch("[^\n]+") do
    lost_references[#lost_references + 1] = text
  end
  if #lost_references > 0 then
    log.warn("%s", report.add_location(string.format("world.import: %d reference%s to other entities could not be "
      .. "resolved, so %s: %s%s", #lost_references, #lost_references == 1 and "" or "s", #lost_references == 1
      and "it is empty" or "they are empty",
      lost_references[1], #lost_references > 1 and string.format(", and %d more", #lost_references - 1) or "")))
  end
  return spawned, names_or_message, lost_references
end

-- Scenes: scenes/NAME.lua returns { entities = { { assemblage = "tank", components = { transform = { x = 10 } } }, … },
-- start = function() … end, saved = false }; scenes/NAME.json has the same contents without `start`.
--
-- world.scene(name) takes effect at the beginning of the next tick: all entities are destroyed, the scene's entities
-- are spawned, and its `start` runs. Singletons and entities that players of a served world own stay. world.open(name)
-- and world.close(name) add and remove scenes as layers: the entities that such a scene creates have the component
-- in_scene, and are destroyed when it is closed.
local need, native = ...
local abi = need("base/abi")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local strings = need("base/string_table")
local scene_lua = need("kit/scene_lua")
local api_hints = need("messages/api_hints")
local components = need("schema/component")
local value = need("schema/value")
local system = need("systems/system")
local entity = need("world/entity")
local owned = need("world/owned")
local query = need("world/query")
local world = need("world/world")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.Scene
---@field text string the scene as JSON
---@field file string
---@field source? string source code, if the file is in Lua
---@field start? fun() called when the scene starts

---@class engine.scene
---@field files table<string, engine.Scene>
local M = { files = {} }
local start_system -- the system that starts scenes
local KEYS = { entities = "table", format = "number", start = "function", saved = "boolean" }

-- True if entities of a scene started by world.scene also get the component in_scene. They get it only in games whose
-- files open or close scenes or contain `saved = false`, so that rows, saves and hashes of other games do not change.
local is_layered = false

-- Excludes the entities of a scene with `saved = false` from saves (saves/unsaved_scenes.h).
---@param name string
---@param saved? boolean
local function mark_saved(name, saved)
  if saved == false then
    native.scene_add_unsaved(name)
    is_layered = true
  end
end

---@param name string
---@param scene any
---@param source engine.At
function M.add(name, scene, source)
  local function fail(line, message, ...)
    report.fail { message = string.format(message, ...), file = source.file, line = line, piece = "scene " .. name }
  end
  if type(scene) ~= "table" then
    fail(1, "the file must return a table: return { entities = { … }, start = function() … end }")
  end
  scene = value.copy_declared(scene, { entities = true, format = true, start = true, saved = true })
  for key, v in pairs(scene) do
    if type(v) ~= KEYS[key] then
      fail(report.find_line(source.text, key), "invalid field %s of a scene%s; available: entities (a list), "
        .. "start (a function), saved (true or false)",
        report.show(key), api_hints.suggest("scene", key, { "entities", "start", "saved" }))
    end
  end
  local text, problem, path = scene_lua.format_scene(scene, source)
  if not text then
    fail(scene_lua.find_line(source.text, path), "%s", problem)
  end
  M.files[name] = { text = text, file = source.file, source = source.text, start = scene.start }
  mark_saved(name, scene.saved)
  start_system.functions["scene " .. name] = scene.start
end

-- Adds a scene in JSON (store/scene.h). M.check_texts checks its entities when all components and assemblages
-- are declared.
---@param name string
---@param scene_text string
---@param file string
function M.add_text(name, scene_text, file)
  M.files[name] = { text = scene_text, file = file }
  scene_lua.check_text(scene_text, file)
  local ok, scene = native.json_decode(scene_text:find('"saved"', 1, true) and scene_text or "{}")
  mark_saved(name, ok and type(scene) == "table" and scene.saved)
end

---@return string names of the metadata components, one per line; the parser skips these components
function M.list_metadata()
  local names = {}
  for name in pairs(components.metadata) do
    names[#names + 1] = name .. "\n"
  end
  return table.concat(names)
end

-- Spawns a scene. On success, returns a list of its entities, a table from ids and names to entities, the references
-- that could not be resolved (one per line), and the skipped fields (one "LINE\tMESSAGE" per line). On failure, returns
-- nil, the message, the line, and the location as a path of keys.
---@param scene_text string
---@param is_import? boolean
---@return shoal.Entity[]?
---@return string|table<string, shoal.Entity> named
---@return integer|string line
---@return string place
function M.read_text(scene_text, is_import)
  local spawned, named, lost, path = native.scene_read(scene_text, M.list_metadata(), false, is_import or false)
  entity.fill_tilemaps()
  return spawned, named, lost, path
end

-- Spawns the scene in a file in the saves folder. Returns the same values as read_text; the line is 0 if the file
-- cannot be read.
---@param name string
---@return shoal.Entity[]?
---@return string|table<string, shoal.Entity> named
---@return integer|string line
---@return string place
function M.read_file(name)
  local spawned, named, line, path = native.scene_read_file(name, M.list_metadata())
  entity.fill_tilemaps()
  return spawned, named, line, path
end

local function fail_read(name, problem, line, path)
  local scene = M.files[name]
  report.fail { message = problem, file = scene.file, piece = "scene " .. name,
    line = scene.source and scene_lua.find_line(scene.source, path) or line }
end

function M.check_texts()
  for _, name in ipairs(sorted_keys(M.files)) do
    local scene = M.files[name]
    local ok, problem, line, path = native.scene_check(scene.text, M.list_metadata())
    if not ok then
      fail_read(name, problem, line, path)
    end
    for _, former_name in ipairs(problem) do
      native.log("warn", string.format("%s:%d: %s", scene.file,
        scene.source and scene_lua.find_line(scene.source, former_name.place) or former_name.line, former_name.message))
    end
  end
end

-- Returns a list by entity index: 1 for the entities that belong to players of a served world.
local function list_kept_entities()
  local kept = ffi.new("uint8_t[?]", abi.entities.used)
  if owned.is_declared() then
    C.owned_keep(W, kept)
  end
  return kept
end

local function destroy_everything()
  local entities, kept = abi.entities, list_kept_entities()
  for index = 1, entities.used - 1 do
    if entities.alive[index] ~= 0 and kept[index] == 0 then
      C.world_destroy_entity(W, index + entities.generation[index] * 2 ^ 22)
    end
  end
end

-- --- open scenes

-- Parses a string of the singleton shoal.scene. `current` lists the open scenes, one per line: the scene started by
-- world.scene, then the scenes opened since. `wanted` lists the requests: a scene to start alone, then lines such as
-- "+yard" (open) and "-yard" (close).
---@param lines string
---@return string base the first line; "" if there is no such scene
---@return string[] layers
local function read_lines(lines)
  local base, layers = lines:match("^[^\n]*"), {}
  for line in lines:sub(#base + 1):gmatch("\n([^\n]*)") do
    layers[#layers + 1] = line
  end
  return base, layers
end

local function write_lines(base, layers)
  return #layers == 0 and base or base .. "\n" .. table.concat(layers, "\n")
end

local function find_line(list, line)
  for i = 1, #list do
    if list[i] == line then
      return i
    end
  end
end

-- Removes a line from `current` or `wanted`.
local function remove_line(field, line)
  local single = components.single["shoal.scene"]
  local base, layers = read_lines(single[field])
  local index = find_line(layers, line)
  if index then
    table.remove(layers, index)
  end
  single[field] = write_lines(base == line and "" or base, layers)
end

-- Returns the number of a scene's piece. Each scene is a piece of the system shoal.scene_start: if a scene fails, only
-- that scene is parked, and it is retried like any parked piece.
local function get_piece(name)
  return start_system.piece_called["scene " .. name]
end

local function can_start(name)
  return M.files[name] and not start_system.off[get_piece(name)]
end

-- Returns the names of the open scenes, and the name of the scene started by world.scene. If world.scene has requested
-- a scene in this tick, returns both as they will be after the change.
local function list_open_scenes()
  local single = components.single["shoal.scene"]
  local next_scene = read_lines(single.wanted)
  if can_start(next_scene) then
    return { next_scene }, next_scene
  end
  local base, layers = read_lines(single.current)
  if base ~= "" then
    table.insert(layers, 1, base)
  end
  return layers, base
end

-- Returns the message for an unknown scene.
---@param name any
---@param caller string name of the function, which begins the message
---@return string
function M.describe_missing(name, caller)
  local scene_name = report.show(name):gsub("^scenes/", ""):gsub("%.%w+$", "")
  return string.format("%s: scenes/%s.lua or .json not found%s", caller, scene_name,
    M.files[scene_name] and ": did you mean " .. scene_name .. "?" or report.hint(scene_name, M.files))
end

local function check_name(name, caller, list)
  if type(name) ~= "string" or not M.files[name] and not find_line(list, name) then
    report.raise("%s", M.describe_missing(name, caller))
  end
end

function world.functions.scene(name)
  name = scope.name("scene", name)
  phases.check("world.scene")
  check_name(name, "world.scene", {})
  components.single["shoal.scene"].wanted = name
end

-- Warns if entering a scene destroys entities that game.lua's `start` has just spawned.
---@param name string
function M.warn_of_destruction(name)
  local count = 0
  for index = 1, abi.entities.used - 1 do
    count = count + (abi.entities.alive[index] ~= 0 and 1 or 0)
  end
  if count > 0 then
    native.log("warn", string.format("game.lua: entering the scene %s destroys %d %s spawned in `start`: "
      .. "to keep entities, spawn them in a scene opened by world.open", name, count, count == 1 and "entity" or
      "entities"))
  end
end

-- Requests the scene that game.lua names. Scenes opened by game.lua's `start` are opened on top of it.
---@param name string
function M.request_first(name)
  local single = components.single["shoal.scene"]
  local _, requests = read_lines(single.wanted)
  single.wanted = write_lines(name, requests)
  remove_line("wanted", "+" .. name)
end

function world.functions.open(name)
  name = scope.name("scene", name)
  entity.changing("world.open")
  local single, list = components.single["shoal.scene"], list_open_scenes()
  check_name(name, "world.open", {})
  local base, requests = read_lines(single.wanted)
  if find_line(requests, "+" .. name) or find_line(list, name) and not find_line(requests, "-" .. name) then
    report.raise("world.open: the scene %s is already open: close it with world.close(\"%s\")", name, name)
  end
  requests[#requests + 1] = "+" .. name
  single.wanted = write_lines(base, requests)
end

function world.functions.close(name)
  name = scope.name("scene", name)
  entity.changing("world.close")
  local single, open_scenes, base = components.single["shoal.scene"], list_open_scenes()
  check_name(name, "world.close", open_scenes)
  local requested_base, requests = read_lines(single.wanted)
  if find_line(requests, "+" .. name) then -- the scene has not been opened yet
    remove_line("wanted", "+" .. name)
    return
  elseif find_line(requests, "-" .. name) then
    report.raise("world.close: the scene %s is already being closed: it closes at the start of the next tick", name)
  elseif not find_line(open_scenes, name) then
    report.raise("world.close: the scene %s is not open%s", name,
      #open_scenes > 0 and "; open: " .. table.concat(open_scenes, ", ") or ": no scene is open")
  elseif name == base and not is_layered then
    report.raise("world.close: the entities of %s, started by world.scene, are not assigned to the scene, because no "
      .. "file of this game contains world.open or world.close: leave the scene with world.scene(…)", name)
  end
  requests[#requests + 1] = "-" .. name
  single.wanted = write_lines(requested_base, requests)
end

-- --- closing

local function destroy_members(name)
  local manager, id = components.by_name.in_scene.manager, strings.find(name)
  local names, kept = ffi.cast("uint32_t *", manager.data[0]), list_kept_entities()
  for row = 0, id ~= 0 and manager.count - 1 or -1 do
    if names[row] == id and kept[manager.owner[row] % 2 ^ 22] == 0 then
      C.world_destroy_entity(W, manager.owner[row])
    end
  end
end

local function close_requested()
  local _, requests = read_lines(components.single["shoal.scene"].wanted)
  for _, line in ipairs(requests) do
    if line:sub(1, 1) == "-" then
      destroy_members(line:sub(2))
      remove_line("current", line:sub(2))
      remove_line("wanted", line)
      C.parked_pieces_retry(W)
    end
  end
end

-- `begin_scene_change` and `enter_requested_scene` run in two systems, so that the old entities are destroyed before
-- the new scene starts. `is_changing_scene`: true if `begin_scene_change` has begun a scene change; the next run of
-- `begin_scene_change` ends it.
local is_changing_scene = false

local function begin_scene_change()
  if is_changing_scene then
    C.vm_end_scene_change(abi.vm)
    is_changing_scene = false
  end
  local name = read_lines(components.single["shoal.scene"].wanted)
  if can_start(name) then
    C.vm_begin_scene_change(abi.vm, start_system.number)
    is_changing_scene = true
    destroy_everything()
  else
    close_requested()
  end
end

-- --- starting

-- Returns an array with the ids of living entities by index (0 for unused indices), and the number of indices.
local function list_living_ids()
  local entities = abi.entities
  local ids = ffi.new("uint32_t[?]", entities.used)
  for index = 1, entities.used - 1 do
    if entities.alive[index] ~= 0 then
      ids[index] = index + entities.generation[index] * 2 ^ 22
    end
  end
  return ids, entities.used
end

-- Adds to this scene all entities that were spawned after `list_living_ids` returned `old_ids` and `old_count`, except
-- entities that already belong to a scene.
local function assign_new_entities(name, old_ids, old_count)
  local component, values, new_ids, count = components.by_name.in_scene, { name = name }, list_living_ids()
  query.close_opened_by_scripts() -- adding components moves columns
  for index = 1, count - 1 do
    local id = new_ids[index]
    if id ~= 0 and (index >= old_count or old_ids[index] ~= id) and not C.world_has_component(W, id, component.id) then
      if not C.world_add_component(W, id, component.id, 0, abi.error) then
        report.raise("world.open: %s", abi.get_error_text())
      end
      entity.set_fields(id, component, 0, values)
    end
  end
end

local function spawn_scene(name, is_marked)
  local scene, old_ids, old_count = M.files[name], nil, 0
  if is_marked then
    old_ids, old_count = list_living_ids()
  end
  local spawned, problem, line, path = M.read_text(scene.text)
  if not spawned then
    fail_read(name, problem, line, path)
  end
  if scene.start then
    local phase, description = phases.enter("start")
    scene.start()
    phases.enter(phase, description)
  end
  if is_marked then
    assign_new_entities(name, old_ids, old_count)
  end
end

-- Makes a scene the running piece, so that errors are attributed to it. Returns false if the scene does not exist or is
-- parked.
local function begin_scene(name)
  local piece = M.files[name] and get_piece(name)
  if not piece then
    return false
  elseif start_system.off[piece] then
    C.vm_skip_piece(abi.vm, start_system.number, piece)
    return false
  end
  abi.current.piece = piece
  C.vm_restart_budget(abi.vm, abi.BUDGET_START)
  return true
end

-- Completes the change to a scene that has started. All parked pieces are retried in the next tick, because a piece
-- that failed in the previous scene may work in this one.
local function finish_scene_change(name)
  system.record_work(start_system, get_piece(name))
  C.parked_pieces_retry(W)
end

-- Opens a scene completely or not at all: if it fails, the world is unchanged and the request is kept.
local function open_scene(name)
  local single = components.single["shoal.scene"]
  if begin_scene(name) then
    C.vm_begin_start_hook(abi.vm, start_system.number)
    local base, layers = read_lines(single.current)
    layers[#layers + 1] = name
    single.current = write_lines(base, layers)
    remove_line("wanted", "+" .. name)
    spawn_scene(name, true)
    C.vm_end_start_hook(abi.vm)
    finish_scene_change(name)
  end
end

local function enter_requested_scene()
  local single = components.single["shoal.scene"]
  local name = read_lines(single.wanted)
  local has_begun = begin_scene(name)
  if has_begun then
    single.current = name
    spawn_scene(name, is_layered)
    remove_line("wanted", name) -- removed last, so that a failed scene is retried
    finish_scene_change(name)
  end
  local _, requests = read_lines(single.wanted)
  if has_begun and #requests > 0 then
    C.vm_end_scene_change(abi.vm) -- the scene has started: a scene that fails later must not undo its start
  end
  for _, line in ipairs(requests) do
    if line:sub(1, 1) == "+" then
      open_scene(line:sub(2))
    end
  end
end

-- Returns true if a file of the game or an add-on opens or closes scenes.
local function opens_scenes()
  local files = native.game_files()
  for _, addon in ipairs(scope.list) do
    for _, file in ipairs(native.sources(addon.root:sub(1, -2))) do
      files[#files + 1] = addon.root .. file
    end
  end
  for _, file in ipairs(files) do
    local source = file:find("%.lua$") and native.source(file) or ""
    local may_open = source:find("world.open", 1, true) or source:find("world.close", 1, true)
    source = may_open and source:gsub("%-%-[^\n]*", "") or ""
    if source:find("world.open", 1, true) or source:find("world.close", 1, true) then
      return true
    end
  end
  return false
end

function M.add_system()
  local source = { file = "[shoal]/kit/scene.lua", text = "" }
  system.add("shoal.scene", { phase = "input", priority = -100000, update = begin_scene_change }, source)
  local parts, files = { kind = "scene" }, {}
  local function add_parts(root, prefix)
    -- Uses the file names, because scenes are loaded only after the systems.
    for _, file in ipairs(native.sources(root .. "scenes")) do
      parts[#parts + 1] = "scene " .. prefix .. file:match("^(.*)%.%w+$")
      files[parts[#parts]] = root .. "scenes/" .. file
    end
  end
  add_parts("", "")
  for _, addon in ipairs(scope.list) do
    add_parts(addon.root, addon.prefix)
  end
  start_system = system.add("shoal.scene_start",
    { phase = "input", priority = -100000, after = "shoal.scene", update = enter_requested_scene }, source, parts)
  start_system.at_once = true -- its changes apply immediately: `start` must find the scene's entities
  start_system.files, start_system.functions = files, {}
  is_layered = opens_scenes()
end

return M

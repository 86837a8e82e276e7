-- Functions that C calls by name (script/vm.c), in this order: load, check, declare, start, then run_system in
-- every tick.
local need, native = ...
local abi = need("base/abi")
local cache = need("base/cache")
local hidden_state = need("base/hidden_state")
local phases = need("base/phases")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local state = need("base/vm_state")
local text = need("base/string_table")
local compile = need("compile/compile")
local cockpit = need("kit/cockpit")
local game_strings = need("kit/game_strings")
local scene = need("kit/scene")
local settings = need("kit/settings")
local type_definitions = need("load/type_definitions")
local loader = need("load/loader")
local lobby_api = need("load/lobby_api")
local menu_api = need("load/menu_api")
local metadata = need("load/metadata")
local sandbox = need("load/sandbox")
local audio = need("media/audio")
local renames = need("schema/renames")
local components = need("schema/component")
local migrate = need("schema/migrate")
local schema = need("schema/schema")
local behaviour = need("systems/behaviour")
local garbage = need("systems/garbage")
local handle_reads = need("systems/handle_reads")
local groups = need("systems/groups")
local sequence = need("systems/sequence")
local system = need("systems/system")
local assemblage = need("world/assemblage")
local chronicle = need("world/chronicle")
local definitions = need("world/definitions")
local event = need("world/event")
local query = need("world/query")
need("world/bulk_changes") -- adds methods to views of queries
local C, W = abi.C, abi.world

---@class engine.engine
local M = {}

local function enable_jit()
  if not native.no_jit then
    require("jit").on()
  end
end

function M.load()
  if native.is_menu then
    sandbox.add_menu(menu_api)
  elseif native.lobby then
    sandbox.add_lobby(lobby_api)
  end
  if abi.match_menu then
    loader.load_match_menu()
  else
    loader.load()
  end
end

-- Checks the schemas and schedules the systems, before anything is declared in the world. Throws if the game is
-- invalid.
---@param schedule integer the address of C's schedule_o
---@param vm integer the address of C's vm_o
function M.check(schedule, vm)
  for _, declared_schema in ipairs(loader.declared) do
    schema.check(declared_schema)
  end
  for _, event_type in pairs(event.by_name) do
    if event_type.schema then
      schema.check(event_type.schema)
    end
  end
  system.schedule(abi.pointer("schedule_o *", schedule), abi.pointer("vm_o *", vm))
end

-- Declares components, events, assemblages and systems in the world, and checks the scenes in JSON.
---@param reloaded boolean true if the world has run before, with another VM
function M.declare(reloaded)
  text.refresh()
  for _, declared_schema in ipairs(loader.declared) do
    schema.declare(declared_schema)
  end
  for _, name in ipairs(sorted_keys(event.by_name)) do
    local event_type = event.by_name[name]
    if event_type.schema and (not event_type.on_demand or system.handles_event(event_type.on_demand)
      or chronicle.keeps_event(event_type.on_demand)) then
      schema.declare(event_type.schema)
    end
    event.bind(event_type)
  end
  for _, component in pairs(components.by_name) do
    components.bind(component)
  end
  settings.keep_on_machine()
  C.vm_free_schemas(abi.vm)
  components.reserve_names()
  renames.declare_all()
  behaviour.declare_renames()
  event.declare_former_names()
  assemblage.declare_all()
  definitions.refresh()
  scene.check_texts()
  phases.enter("update")
  system.bind_all()
  groups.apply()
  state.reloaded = reloaded
  enable_jit()
end

-- Returns true if the system's loop can run in parallel now: its guards hold and its parameters are loaded.
---@param number integer the system's number
---@return boolean
function M.prepare_loop(number)
  text.refresh()
  cache.refresh()
  return compile.is_prepared(system.list[number])
end

M.run_exits = system.run_exits

function M.start()
  text.refresh()
  cache.refresh()
  settings.load()
  if state.game.start then
    phases.enter("start")
    state.game.start()
    phases.enter("update")
  end
  query.close_opened_by_scripts()
  if state.game.scene then
    scene.warn_of_destruction(state.game.scene)
    scene.request_first(state.game.scene)
  end
end

-- Applies the rules for matches (base/phases.lua), or the rules for players on one machine.
---@param in_match boolean
function M.restrict_for_players(in_match)
  phases.restrict_for_players(in_match)
end

M.format_string = game_strings.format
M.copy_settings, M.apply_settings = settings.copy, settings.apply
M.apply_machine_settings, M.apply_settings_of_other_game = settings.apply_of_machine, settings.apply_of_other_game

---@param address integer address of C's migration_t
function M.migrate(address)
  migrate.run(address)
end

-- Replaces the assemblages made with world.define with the assemblages of a restored state, which may differ.
---@param list string all definitions (content/definitions.h)
function M.define(list)
  text.refresh()
  definitions.replace_all(list)
end

M.run_system = system.run

-- Returns the lines of --explain about systems that create garbage or access components through handles. `name`: a
-- system, or "all".
---@param name string
---@return string
function M.explain_garbage(name)
  return garbage.explain(system.list, name) .. handle_reads.explain(system.list, name)
end

-- --- error recovery and reports

M.park, M.clear_up = system.park, system.reset_after_error
M.begin_parked, M.set_parked, M.end_parked = system.begin_parked, system.set_parked, system.end_parked

-- Resets the state of this VM that a failed attempt at a tick has changed: voice numbers, the record of the settings
-- file's contents, and the flags of systems that have run `start`. Called before the tick runs again because a piece of
-- a system has failed.
function M.run_again()
  audio.restart_numbering()
  settings.forget_written()
  system.begin_retry()
end

M.piece_name, M.piece_called = system.piece_name, system.find_piece

M.piece_location = system.piece_location

-- Returns the title of an entity for an error report. C passes the entity on the stack or, if the stack has
-- no entity, the result of M.find_current_entity.
---@param id integer
---@return string
function M.entity_title(id)
  return components.format_title(id)
end

---@return integer id of the current entity (state.entity); 0 if no entity is being processed
function M.find_current_entity()
  return state.entity
end

M.get_entity_of_row = system.get_entity_of_row

-- Returns the message, file and line (0: unknown) of an error about a table: a table that was created while files were
-- loaded and has changed since, or a weak table in a cache. Returns nil if there is no table with such an error.
function M.changed_table()
  local message, file = hidden_state.find_changed_table()
  if message then
    return message, file, 0
  end
  return cache.find_added_weak()
end

M.put_tables_back = hidden_state.restore_tables

-- Returns additional lines for an error report: the running step of a sequence, and the metadata of the entities that
-- the message names.
---@param message string
---@return string lines
function M.about(message)
  local location, lines = sequence.pop_error_location(), metadata.describe_entities(message)
  return location .. (location ~= "" and lines ~= "" and "\n" or "") .. lines
end

-- Returns the metadata that the game's files declare for an assemblage, for error reports without a world.
---@param name string
---@return string lines
function M.get_metadata(name)
  return metadata.format_metadata(name)
end

M.passed_over = scene.list_metadata

-- --- exec and introspection

---@param code string
---@param name string name of the chunk, for messages
---@return string results
function M.exec(code, name)
  scope.set(false) -- an earlier chunk may have failed in code of an add-on
  text.refresh()
  cache.refresh()
  local chunk, problem = load("return " .. code, name, "t", sandbox.game)
  if not chunk then
    chunk, problem = load(code, name, "t", sandbox.game)
  end
  if not chunk then
    local message, line = report.split_syntax_error(tostring(problem))
    report.fail { message = message, file = name:gsub("^[@=]", ""), line = line }
  end
  phases.enter("console")
  state.outside = true
  local results = { chunk() }
  state.outside = false
  phases.enter("update")
  query.close_opened_by_scripts()
  for i = 1, #results do
    results[i] = sandbox.env.tostring(results[i])
  end
  return table.concat(results, "\t")
end

-- Returns the cockpit's panels, or the widgets of one panel, as JSON (kit/cockpit.lua).
M.cockpit = cockpit.describe

-- Returns the settings of the game for C, by name (script/game_config.c).
---@return engine.GameConfig
function M.game()
  return state.config
end

---@return string text
function M.definitions()
  return type_definitions.generate_text()
end

---@return string names one per line
function M.system_names()
  local names = {}
  for _, entry in ipairs(system.list) do
    names[#names + 1] = entry.name
  end
  return table.concat(names, "\n")
end

local function parse_set(names)
  local set = {}
  for name in names:gmatch("[^\n]+") do
    set[name] = true
  end
  return set
end

-- Calls `stop` of the systems not in `names` and, if `names` is "", `destroy` of the behaviours. Ignored in systems.
---@param names string one per line
function M.retire(names)
  if not C.world_is_deferring(W) then
    if names == "" then
      system.destroy_behaviours()
    end
    system.stop_removed(parse_set(names))
  end
end

---@param names string one per line
---@return boolean
function M.has_retiring(names)
  return system.has_removed(parse_set(names))
end

M.list_not_run = system.list_not_run

-- Returns a system's location, "systems/wrap.lua:7"; nil if the system is unknown or belongs to the engine.
---@param name string
---@return string?
function M.get_system_location(name)
  local found_system = system.by_name[name]
  if found_system and found_system.at.text ~= "" then
    return ("%s:%d"):format(system.location(found_system))
  end
end

-- Returns the file of a system, or nil if the system is unknown or belongs to the engine.
---@param name string
---@return string?
function M.get_system_file(name)
  local found_system = system.by_name[name]
  return found_system and found_system.at.text ~= "" and found_system.at.file or nil
end

return M

-- What C calls, by name (engine/script/vm.c). In order: load, check, declare, start, then run_system for ever.
local need, native = ...
local abi, assemblage, component, event, query, report, schema, state, system, text =
  need("abi"), need("assemblage"), need("component"), need("event"), need("query"), need("report"), need("schema"),
  need("state"), need("system"), need("text")
need("entity")
need("later")
need("tiles")
need("near")
need("observe")
need("relation")
need("bulk")
local define, groups, parallel = need("define"), need("groups"), need("parallel")
local loader, sandbox = need("loader"), need("sandbox")
local alias, cache, hidden = need("alias"), need("cache"), need("hidden")
local metadata, migrate, sorted = need("metadata"), need("migrate"), need("sorted")
local definitions = not native.worker and need("definitions")
local C, W = abi.C, abi.world

---@class engine.engine
local M = {}

local function compile_from_now()
  if not native.no_jit then
    require("jit").on()
  end
end

function M.load()
  if native.is_menu then
    sandbox.add_menu(need("menu_api"))
  end
  loader.load()
end

-- Everything that can be refused, before anything is declared.
---@param schedule integer the address of C's schedule_o
---@param vm integer the address of C's vm_o
function M.check(schedule, vm)
  for _, declared in ipairs(loader.declared) do
    schema.check(declared)
  end
  for _, declared in pairs(event.by_name) do
    if declared.schema then
      schema.check(declared.schema)
    end
  end
  system.schedule(abi.pointer("schedule_o *", schedule), abi.pointer("vm_o *", vm))
end

---@param reloaded boolean the world has run before, with another VM
function M.declare(reloaded)
  text.refresh()
  for _, declared in ipairs(loader.declared) do
    schema.declare(declared)
  end
  for _, name in ipairs(sorted(event.by_name)) do
    local declared = event.by_name[name]
    if declared.schema and (not declared.on_demand or system.hears(declared.on_demand)) then
      schema.declare(declared.schema)
    end
    event.bind(declared)
  end
  for _, known in pairs(component.by_name) do
    component.bind(known)
  end
  component.settle()
  alias.declare_all()
  assemblage.declare_all()
  define.refresh()
  need("scene").check_texts()
  state.loading = false
  system.bind_all()
  groups.apply()
  state.reloaded = reloaded
  compile_from_now()
end

-- Does the game need workers of its own?
---@return boolean
function M.is_parallel()
  for _, known in ipairs(system.list) do
    if known.declaration.parallel then
      return true
    end
  end
  return false
end

-- In the VM of a worker, in place of declare: the world has everything already, and only the bodies of parallel
-- systems will run.
function M.join()
  text.refresh()
  for _, declared in pairs(event.by_name) do
    event.bind(declared)
  end
  for _, known in pairs(component.by_name) do
    component.bind(known)
  end
  component.settle()
  define.refresh()
  parallel.join(system.list)
  compile_from_now()
end

---@param number integer the system's
---@param chunk integer the address of C's chunk_t
---@param first integer row, from 0
---@param count integer
---@param dt number seconds
function M.run_chunk(number, chunk, first, count, dt)
  parallel.run_chunk(system.list[number], chunk, first, count, dt)
end

function M.start()
  text.refresh()
  cache.refresh()
  need("settings").fill()
  if loader.game.start then
    loader.game.start()
  end
  need("settings").hold()
  query.close_here()
  if loader.game.scene then
    need("scene").say_what_goes(loader.game.scene)
    need("scene").first(loader.game.scene)
  end
end

---@param address integer of C's migration_t
function M.migrate(address)
  migrate.run(address)
end

-- Another state has other definitions.
---@param list string (engine/state/definitions.h)
function M.define(list)
  text.refresh()
  define.take(list)
end

---@param number integer
---@param dt number seconds
function M.run_system(number, dt)
  system.run(number, dt)
end

-- --- after a failure

M.park, M.clear_up, M.run_again = system.park, system.clear_up, system.run_again
M.piece_name, M.piece_called = system.piece_name, system.piece_called

M.piece_place = system.piece_place

-- The entity at hand: what the stack showed, or else what was noted before it was called.
---@param id integer
---@return string
function M.entity_title(id)
  return component.title(id)
end

---@return integer id 0 for none
function M.entity_at_hand()
  return state.entity
end

-- A table that was made while files were loaded and that is not as it was then, in words; nil for none.
M.changed_table = hidden.changed
M.put_tables_back = hidden.put_back

-- What metadata says of the entities that a message names.
---@param message string
---@return string lines
function M.about(message)
  local where, lines = need("sequence").where(), metadata.about(message)
  return where .. (where ~= "" and lines ~= "" and "\n" or "") .. lines
end

-- And what the files say of an assemblage, for a game that is not there any more.
---@param name string
---@return string lines
function M.metadata_of(name)
  return metadata.of_assemblage(name)
end

M.passed_over = need("scene").passed_over

---@param code string
---@param name string of the chunk, for messages
---@return string results
function M.exec(code, name)
  text.refresh()
  cache.refresh()
  local chunk, problem = load("return " .. code, name, "t", sandbox.game)
  if not chunk then
    chunk, problem = load(code, name, "t", sandbox.game)
  end
  if not chunk then
    local message, line = report.syntax(tostring(problem))
    report.fail { message = message, file = name:gsub("^[@=]", ""), line = line }
  end
  state.outside = true
  local results = { chunk() }
  state.outside = false
  query.close_here()
  for i = 1, #results do
    results[i] = sandbox.env.tostring(results[i])
  end
  return table.concat(results, "\t")
end

-- What panels show (cockpit.lua).
M.cockpit = need("cockpit").ask

---@return string title
---@return integer width
---@return integer height
---@return integer tick_rate ticks a second
---@return integer? history megabytes; nil where the game does not say
---@return integer autosave seconds, 0 for never
---@return string id "" for the folder's name
---@return integer window_width 0: as the logical size
---@return integer window_height
---@return integer scale letterbox_mode_t
---@return boolean fullscreen
---@return boolean resizable
---@return boolean vsync
---@return boolean sharp
---@return number dead_zone of sticks
---@return string icon "" for none
---@return string fonts with commas between them
function M.game()
  local game = loader.game
  local window = game.window or {}
  return game.title or "Shoal", game.width or 1280, game.height or 720, game.tick_rate or 60, game.history,
    game.autosave or 0, game.id or "", window.width or 0, window.height or 0, loader.SCALES[window.scale or "fit"],
    window.fullscreen == true, window.resizable ~= false, window.vsync ~= false, window.filter == "pixels",
    game.dead_zone or 0.2, window.icon or "", table.concat(game.fonts or {}, ",")
end

---@return string text
function M.definitions()
  return definitions.text()
end

---@return string names a line each
function M.system_names()
  local names = {}
  for _, known in ipairs(system.list) do
    names[#names + 1] = known.name
  end
  return table.concat(names, "\n")
end

local function set_of(names)
  local set = {}
  for name in names:gmatch("[^\n]+") do
    set[name] = true
  end
  return set
end

---@param names string a line each
function M.retire(names)
  if not C.world_is_deferring(W) then
    system.retire(set_of(names))
  end
end

---@param names string a line each
---@return boolean
function M.has_retiring(names)
  return system.has_retiring(set_of(names))
end

-- nil for the engine's own.
---@param name string
---@return string?
function M.file_of(name)
  local known = system.by_name[name]
  return known and known.at.text ~= "" and known.at.file or nil
end

return M

-- What C calls, by name (engine/script/vm.c). In order: load, check, declare, start, then run_system for ever.
local need, native = ...
local abi, assemblage, component, event, query, report, schema, state, system, text =
  need("abi"), need("assemblage"), need("component"), need("event"), need("query"), need("report"), need("schema"), need("state"),
  need("system"), need("text")
need("entity")
need("bulk")
local parallel, plan = need("parallel"), need("plan")
local loader, sandbox = need("loader"), need("sandbox")
local alias, metadata, migrate, sorted = need("alias"), need("metadata"), need("migrate"), need("sorted")
local C, W = abi.C, abi.world

local M = {}

function M.load()
  if native.is_menu then
    sandbox.add_menu(need("menu_api"))
  end
  loader.load()
end

-- Everything that can be refused, before anything is declared.
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

function M.declare(reloaded)
  text.refresh()
  for _, declared in ipairs(loader.declared) do
    schema.declare(declared)
  end
  for _, name in ipairs(sorted(event.by_name)) do
    local declared = event.by_name[name]
    if declared.schema and (not declared.on_demand or system.hears(name)) then
      schema.declare(declared.schema)
    end
    event.bind(declared)
  end
  for _, known in pairs(component.by_name) do
    component.bind(known)
  end
  alias.declare_all()
  assemblage.declare_all()
  need("scene").check_texts()
  state.loading = false
  system.bind_all()
  plan.apply()
  state.reloaded = reloaded
  require("jit").on()
end

-- Does the game need workers of its own?
function M.is_parallel()
  for _, known in ipairs(system.list) do
    if known.declaration.parallel then
      return true
    end
  end
  return false
end

-- In the VM of a worker, in place of declare: the world has everything already, and only the bodies of parallel systems will run.
function M.join()
  text.refresh()
  for _, declared in pairs(event.by_name) do
    event.bind(declared)
  end
  for _, known in pairs(component.by_name) do
    component.bind(known)
  end
  parallel.join(system.list)
  require("jit").on()
end

function M.run_chunk(number, chunk, first, count, dt)
  parallel.run_chunk(system.list[number], chunk, first, count, dt)
end

function M.start()
  text.refresh()
  if loader.game.start then
    loader.game.start()
  end
  query.close_here()
  if loader.game.scene then
    component.single["shoal.scene"].wanted = loader.game.scene
  end
end

function M.migrate(address)
  migrate.run(address)
end

function M.run_system(number, dt)
  system.run(number, dt)
end

-- --- after a failure

M.park, M.clear_up, M.run_again = system.park, system.clear_up, system.run_again
M.piece_name, M.piece_called = system.piece_name, system.piece_called

M.piece_place = system.piece_place

-- The entity at hand: what the stack showed, or else what was noted before it was called.
function M.entity_title(id)
  return component.title(id)
end

function M.entity_at_hand()
  return state.entity
end

-- What metadata says of the entities that a message names.
function M.about(message)
  return metadata.about(message)
end

-- And what the files say of an assemblage, for a game that is not there any more.
function M.metadata_of(name)
  return metadata.of_assemblage(name)
end

function M.exec(code, name)
  text.refresh()
  local chunk, problem = load("return " .. code, name, "t", sandbox.game)
  if not chunk then
    chunk, problem = load(code, name, "t", sandbox.game)
  end
  if not chunk then
    local line, message = problem:match(":(%d+): (.*)$")
    report.fail { message = message or problem, file = name:gsub("^[@=]", ""), line = tonumber(line) or 0 }
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

function M.game()
  local game = loader.game
  return game.title or "Shoal", game.width or 1280, game.height or 720, game.tick_rate or 60, game.history or 64,
    game.autosave or 0
end

-- The file of the first system that a message about the order names.
function M.system_in(message)
  local first, found
  for name, known in pairs(system.by_name) do
    local at = message:find(name, 1, true)
    if at and (not first or at < first) then
      first, found = at, known.at.file
    end
  end
  return found
end

function M.definitions()
  return need("plugins").definitions()
end

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

function M.retire(names)
  if not C.world_is_deferring(W) then
    system.retire(set_of(names))
  end
end

function M.has_retiring(names)
  return system.has_retiring(set_of(names))
end

-- nil for the engine's own.
function M.file_of(name)
  local known = system.by_name[name]
  return known and known.at.text ~= "" and known.at.file or nil
end

return M

-- Reads a game folder: every file is run once in the sandbox and what it returns is checked. Nothing of the world is touched.
local need, native = ...
local assemblage, behaviour, component, event, input, message, report, sandbox, scene, schema, system, types =
  need("assemblage"), need("behaviour"), need("component"), need("event"), need("input"), need("message"), need("report"),
  need("sandbox"), need("scene"), need("schema"), need("system"), need("types")
local alias, plugins, sorted = need("alias"), need("plugins"), need("sorted")

local M = { declared = {}, game = nil }
local FOLDER = native.game_folder
local GAME_KEYS = { title = "string", width = "number", height = "number", tick_rate = "number", plugins = "table", native = "boolean",
  start = "function", scene = "string", history = "number", autosave = "number" }

local function fail(file, line, words, ...)
  report.fail { message = string.format(words, ...), file = file, line = line, piece = file }
end

local function read(file)
  local text, problem = native.source(file)
  if not text then
    fail(file, 0, "%s", problem)
  end
  return text
end

-- "systems/a.lua:3: '=' expected near 'x'" → place and message
local function compile(file)
  local chunk, problem = native.compile(file)
  if not chunk then
    local line, words = problem:match(":(%d+): (.*)$")
    fail(file, tonumber(line) or 0, "%s", words or problem)
  end
  return setfenv(chunk, sandbox.game)
end

-- → what the file returns, and { file, text } for messages about it.
local function run(file)
  local text = read(file)
  return compile(file)(), { file = file, text = text }
end

-- --- require

local modules, running = {}, {} -- by file: a module under two names is one

local function run_module(file)
  if running[file] then
    report.complain("require: modules in a circle, %s needs itself", file)
  end
  running[file] = true
  local good, result = xpcall(run, report.placed, file)
  running[file] = nil
  if not good then
    error(result, 0)
  end
  modules[file] = result == nil and true or result
  return modules[file]
end

local own_name = FOLDER:match("([^/]+)/*$") or ""

local function native_granted()
  return M.game and M.game.native and (native.trust or FOLDER:find(native.engine_folder:gsub("/shoal/*$", "/games/"), 1, true) == 1)
end

local function require_module(name)
  if name == "bit" then
    return sandbox.env.bit
  elseif name == "ffi" then
    if not native_granted() then
      report.complain("require \"ffi\": game.lua must say native = true, and a game outside scripts/games needs --trust")
    end
    return require("ffi")
  elseif type(name) ~= "string" or not name:match("^[%w_%-]+[%w_%-%.]*$") or name:find("..", 1, true) then
    report.complain("require: %s is not a module's name", tostring(name))
  end
  local path = name:gsub("%.", "/") .. ".lua"
  local short = path:gsub("^" .. own_name:gsub("%p", "%%%0") .. "/", "")
  for _, file in ipairs { path, short } do
    if modules[file] ~= nil then
      return modules[file]
    elseif native.source(file) then
      return run_module(file)
    end
  end
  report.complain("require: there is no module %s (looked for %s in the game's folder)", name, path)
end
sandbox.env.require = require_module

-- --- the parts

-- "components.lua" and components/*.lua, those that exist, in order.
local function files_of(part)
  local out = {}
  if native.source(part .. ".lua") then
    out[1] = part .. ".lua"
  end
  for _, name in ipairs(native.sources(part)) do
    out[#out + 1] = part .. "/" .. name
  end
  return out
end

-- Calls each(name, declaration, at) for every entry of every file of a part, names sorted; a name twice is an error.
local function each_entry(part, what, each)
  local seen = {}
  for _, file in ipairs(files_of(part)) do
    local entries, at = run(file)
    if type(entries) ~= "table" then
      fail(file, 1, "the file must return a table: return { name = … }")
    end
    for _, name in ipairs(sorted(entries)) do
      if seen[name] then
        fail(file, report.line_of(at.text, name), "the %s %s is declared twice: in %s and in %s", what, tostring(name), seen[name], file)
      end
      seen[name] = file
      each(name, entries[name], at)
    end
  end
end

local function load_game()
  if not native.source("game.lua") then
    fail("game.lua", 0, "the folder %s has no game.lua", FOLDER)
  end
  local text = read("game.lua")
  local game = compile("game.lua")()
  local function wrong(key, words, ...)
    fail("game.lua", report.line_of(text, key), words, ...)
  end
  if type(game) ~= "table" then
    fail("game.lua", 1, "game.lua must return a table: return { title = \"My game\" }")
  end
  for key, v in pairs(game) do
    if not GAME_KEYS[key] then
      wrong(key, "game.lua has no part %s: there are %s", tostring(key), report.names(GAME_KEYS))
    elseif type(v) ~= GAME_KEYS[key] then
      wrong(key, "%s is a %s, not a %s", key, GAME_KEYS[key], type(v))
    end
  end
  for _, key in ipairs { "width", "height", "tick_rate" } do
    if game[key] and (game[key] < 1 or game[key] > 16384 or game[key] % 1 ~= 0) then
      wrong(key, "%s is a whole number from 1 to 16384", key)
    end
  end
  if game.history and (game.history < 0 or game.history > 65536 or game.history % 1 ~= 0) then
    wrong("history", "history is a whole number of megabytes from 0 to 65536")
  end
  if game.autosave and (game.autosave < 0 or game.autosave > 86400 or game.autosave % 1 ~= 0) then
    wrong("autosave", "autosave is a whole number of seconds from 0 (never) to 86400")
  end
  for _, name in ipairs(game.plugins or {}) do
    if type(name) ~= "string" or not name:match("^[%a_][%w_]*$") then
      wrong("plugins", "plugins is a list of names, and %s is none", report.plain(name))
    end
  end
  M.game = game
  plugins.open(game.plugins or {})
end

local function load_components()
  local aliases = {}
  each_entry("components", "component", function(name, declaration, at)
    if component.by_name[name] then
      fail(at.file, report.line_of(at.text, name), "there is a component %s of %s: choose another name", name,
        component.by_name[name].plugin and "the plugin " .. component.by_name[name].plugin or "Shoal's own")
    end
    local kind, targets = types.unwrap(declaration)
    if kind == "alias" then
      aliases[#aliases + 1] = { name, targets, at }
      return
    end
    local read_schema = schema.read(name, declaration, "component", at)
    if read_schema.kind == "metadata" then
      component.metadata[name] = read_schema
      read_schema.kind, read_schema.loaded = "component", native.metadata
      if not native.metadata then
        return
      end
    end
    M.declared[#M.declared + 1] = read_schema
    component.add_declared(read_schema)
  end)
  for _, declared in ipairs(aliases) do
    alias.add(unpack(declared))
  end
  if #aliases > 0 then
    need("entity").know_aliases()
  end
end

local function engine_schema(name, kind, columns)
  return { name = name, kind = kind, columns = columns, origin = "[shoal]", at = { file = "[shoal]", text = "" } }
end

local function declare_own()
  local own = engine_schema("shoal.scene", "single",
    { { name = "current", type = "string", initial = 0 }, { name = "wanted", type = "string", initial = 0 } })
  M.declared[#M.declared + 1] = own
  component.add_declared(own)
  event.add_declared(engine_schema("shoal.started", "event", {}))
  event.add_declared(engine_schema(message.EVENT, "event", { { name = "body", type = "string", initial = 0 },
    { name = "name", type = "string", initial = 0 }, { name = "to", type = "entity", initial = 0 } }))
  event.add_declared(engine_schema("shoal.reload", "event", { { name = "files", type = "string", initial = 0 },
    { name = "systems", type = "i32", initial = 0 }, { name = "fields", type = "i32", initial = 0 },
    { name = "entities", type = "i32", initial = 0 } }), true)
end

local function load_events()
  each_entry("events", "event", function(name, declaration, at)
    if event.by_name[name] then
      fail(at.file, report.line_of(at.text, name), "there is a built-in event %s: choose another name", name)
    elseif type(types.unwrap(declaration)) == "string" and types.unwrap(declaration) ~= "component" then
      fail(at.file, report.line_of(at.text, name), "the event %s is a table of fields", name)
    end
    local read_schema = schema.read(name, declaration, "event", at)
    read_schema.kind = "event"
    event.add_declared(read_schema)
  end)
end

local function load_assemblages()
  local source = {}
  each_entry("assemblages", "assemblage", function(name, declaration, at)
    source[name] = { declaration = declaration, at = at }
  end)
  assemblage.resolve_all(source)
end

-- What the files say now of an assemblage's metadata: component → field → value. Of those that it is, too.
function M.metadata_of(name)
  local source, out = {}, {}
  each_entry("assemblages", "assemblage", function(entry, declaration)
    source[entry] = declaration
  end)
  local function add(entry, depth)
    local declaration = source[entry]
    if type(declaration) ~= "table" or depth > 32 then
      return
    end
    for _, parent in ipairs(type(declaration.is) == "table" and declaration.is or { declaration.is }) do
      add(parent, depth + 1)
    end
    for part, values in pairs(type(declaration.components) == "table" and declaration.components or {}) do
      local known = component.metadata[part]
      if known then
        out[part] = out[part] or {}
        for field, v in pairs(type(values) == "table" and values or { [known.columns[1].name] = values }) do
          out[part][field] = v
        end
      end
    end
  end
  add(name, 0)
  return out
end

local function each_file(folder, each)
  for _, name in ipairs(native.sources(folder)) do
    local result, at = run(folder .. "/" .. name)
    each(name:gsub("%.lua$", ""), result, at, folder .. "/" .. name)
  end
end

local function load_scenes()
  for _, file in ipairs(native.sources("scenes")) do
    file = "scenes/" .. file
    local name = file:match("^scenes/(.*)%.%w+$")
    if scene.files[name] then
      fail(file, 1, "the scene %s is there twice: as Lua and as JSON", name)
    elseif file:find("%.json$") then
      scene.add_text(name, read(file), file)
    else
      scene.add(name, run(file))
    end
  end
end

local function load_behaviours()
  each_file("behaviours", function(_, result, at, file)
    behaviour.add(file, result, at)
    M.declared[#M.declared + 1] = behaviour.files[file].schema
  end)
end

function M.load()
  load_game()
  declare_own()
  load_components()
  load_events()
  if native.source("input.lua") then
    local declaration, at = run("input.lua")
    input.read(declaration, at)
  end
  load_behaviours()
  load_assemblages()
  scene.add_system()
  behaviour.add_system()
  each_file("systems", function(name, declaration, at)
    system.add(name, declaration, at)
  end)
  load_scenes()
  if M.game.scene and not scene.files[M.game.scene] then
    fail("game.lua", 1, "there is no scenes/%s.lua or .json", M.game.scene)
  end
end

return M

-- Scenes: scenes/NAME.lua returns { entities = { { "tank", { transform = { x = 10 } } }, … }, start = function() …
-- end }. world.scene(name) takes effect at the beginning of the next tick: every entity is destroyed, those of the
-- scene are spawned, then its start runs. Singles stay.
local need, native = ...
local abi, assemblage, component, report, system =
  need("abi"), need("assemblage"), need("component"), need("report"), need("system")
local alias, sorted, value, wanted = need("alias"), need("sorted"), need("value"), need("wanted")
local C, W = abi.C, abi.world

---@class engine.Scene of a Lua file, or of a text
---@field entities? any[][]
---@field start? fun()
---@field text? string
---@field file? string of the text

---@class engine.scene
---@field files table<string, engine.Scene>
local M = { files = {} }
local enters -- the system that begins a scene

-- → the component whose values are not possible, and why; nil when all are.
local function check_overrides(overrides)
  for _, name in ipairs(sorted(overrides or {})) do
    local known = component.by_name[name]
    local given = known and overrides[name] -- false: it is left out
    for _, values in pairs(given and assemblage.instances_of(known, given) or {}) do
      local good, problem = pcall(value.check, known, values)
      if not good then
        return name, report.words(problem)
      end
    end
    if not known and not component.metadata[name] and not alias.by_name[name] then
      return name, string.format("there is no component %s%s", report.plain(name), component.hint(name))
    end
  end
end

---@param name string
---@param scene any
---@param at engine.At
function M.add(name, scene, at)
  local function fail_at(word, message, ...)
    report.fail { message = string.format(message, ...), file = at.file,
      line = word and report.line_of(at.text, word) or 1, piece = "scene " .. name }
  end
  local function fail(...)
    fail_at(nil, ...)
  end
  if type(scene) ~= "table" then
    fail("the file must return a table: return { entities = { … }, start = function() … end }")
  end
  scene = value.declared(scene, { entities = true, start = true })
  for key, v in pairs(scene) do
    if (key ~= "entities" or type(v) ~= "table") and (key ~= "start" or type(v) ~= "function") then
      fail_at(key, "a scene has no part %s%s: there are entities (a list) and start (a function)", report.plain(key),
        report.aside(key, { "entities", "start" }))
    end
  end
  for i, item in ipairs(scene.entities or {}) do
    if type(item) ~= "table" or (item[1] ~= nil and type(item[1]) ~= "string")
      or (item[2] ~= nil and type(item[2]) ~= "table") then
      fail("entity %d of the scene: { \"tank\", { transform = { x = 10 } } }", i)
    elseif item[1] ~= nil and not assemblage.resolved[item[1]] then
      fail_at(item[1], "entity %d of the scene: there is no assemblage %s%s: there are %s", i, item[1],
        report.aside(item[1], assemblage.resolved), report.names(assemblage.resolved))
    end
    local wrong, problem = check_overrides(item[2])
    if wrong then
      fail_at(wrong, "entity %d of the scene: %s", i, problem)
    end
  end
  M.files[name] = scene
  enters.functions["scene " .. name] = scene.start
end

-- A scene as text (engine/store/scene.h), which `check_texts` looks at when there are components and assemblages.
---@param name string
---@param scene_text string
---@param file string
function M.add_text(name, scene_text, file)
  M.files[name] = { text = scene_text, file = file }
end

---@return string names of components that are metadata, a line each
function M.passed_over()
  local names = {}
  for name in pairs(component.metadata) do
    names[#names + 1] = name .. "\n"
  end
  return table.concat(names)
end

-- → an array of handles; nil, message, line.
---@param scene_text string
---@return shoal.Entity[]?
---@return string message
---@return integer line
function M.read_text(scene_text)
  return native.scene_read(scene_text, M.passed_over())
end

function M.check_texts()
  for _, name in ipairs(sorted(M.files)) do
    local scene = M.files[name]
    if scene.text then
      local good, problem, line = native.scene_check(scene.text, M.passed_over())
      if not good then
        report.fail { message = problem, file = scene.file, line = line, piece = "scene " .. name }
      end
    end
  end
end

local function destroy_everything()
  local entities = abi.entities
  for index = 1, entities.used - 1 do
    if entities.alive[index] ~= 0 then
      C.world_destroy(W, index + entities.generation[index] * 2 ^ 22)
    end
  end
end

local function wanted_scene()
  return M.files[component.single["shoal.scene"].wanted]
end

-- A scene is a piece of the system that enters it: one that fails is parked alone, and begins once it is mended.
local function piece_of(name)
  return enters.piece_called["scene " .. name]
end

-- Two systems, so that what was there is gone when the scene begins.
local left = false

local function leave()
  if left then
    C.vm_scene_entered(abi.vm)
    left = false
  end
  if wanted_scene() and not enters.off[piece_of(component.single["shoal.scene"].wanted)] then
    C.vm_leave_scene(abi.vm, enters.number)
    left = true
    destroy_everything()
  end
end

local function enter()
  local scene, single, world = wanted_scene(), component.single["shoal.scene"], need("world")
  if not scene then
    return
  end
  local name = single.wanted
  if enters.off[piece_of(name)] then
    C.vm_skip(abi.vm, enters.number, piece_of(name))
    return
  end
  abi.place.piece = piece_of(name)
  C.vm_set_budget(abi.vm, abi.BUDGET_START)
  single.current = name
  if scene.text then
    local made, problem, line = M.read_text(scene.text)
    if not made then
      report.fail { message = problem, file = scene.file, line = line, piece = "scene " .. name }
    end
  end
  for i, item in ipairs(scene.entities or {}) do
    wanted.place = function()
      return string.format("scenes/%s.lua:1: entity %d: ", name, i)
    end
    world.spawn(item[1], item[2])
  end
  wanted.place = nil
  if scene.start then
    scene.start()
  end
  if single.wanted == name then -- only now: a scene that fails begins again once it is mended
    single.wanted = ""
  end
end

function M.add_system()
  local at = { file = "[shoal]/scene.lua", text = "" }
  system.add("shoal.scene", { phase = "input", priority = -100000, update = leave }, at)
  local parts, files = { kind = "scene" }, {}
  for _, file in ipairs(native.sources("scenes")) do -- they are read after the systems
    parts[#parts + 1] = "scene " .. file:match("^(.*)%.%w+$")
    files[parts[#parts]] = "scenes/" .. file
  end
  enters = system.add("shoal.scene_start",
    { phase = "input", priority = -100000, after = "shoal.scene", update = enter }, at, parts)
  enters.at_once = true -- `start` finds what the scene has made
  enters.files, enters.functions = files, {}
end

return M

-- Scenes: scenes/NAME.lua returns { entities = { { "tank", { transform = { x = 10 } } }, … }, start = function() … end }.
-- world.scene(name) takes effect at the beginning of the next tick: every entity is destroyed, those of the scene are spawned, then
-- its start runs. Singles stay.
local need, native = ...
local abi, assemblage, component, report, system =
  need("abi"), need("assemblage"), need("component"), need("report"), need("system")
local sorted = need("sorted")
local C, W = abi.C, abi.world

local M = { files = {} }

function M.add(name, scene, at)
  local function fail(message, ...)
    report.fail { message = string.format(message, ...), file = at.file, line = 1, piece = "scene " .. name }
  end
  if type(scene) ~= "table" then
    fail("the file must return a table: return { entities = { … }, start = function() … end }")
  end
  for key, v in pairs(scene) do
    if (key ~= "entities" or type(v) ~= "table") and (key ~= "start" or type(v) ~= "function") then
      fail("a scene has no part %s: there are entities (a list) and start (a function)", report.plain(key))
    end
  end
  for i, item in ipairs(scene.entities or {}) do
    if type(item) ~= "table" or (item[1] ~= nil and type(item[1]) ~= "string") or (item[2] ~= nil and type(item[2]) ~= "table") then
      fail("entity %d of the scene: { \"tank\", { transform = { x = 10 } } }", i)
    elseif item[1] ~= nil and not assemblage.resolved[item[1]] then
      fail("entity %d of the scene: there is no assemblage %s: there are %s", i, item[1], report.names(assemblage.resolved))
    end
  end
  M.files[name] = scene
end

-- A scene as text (engine/tools/scene.h), which `check_texts` looks at when there are components and assemblages.
function M.add_text(name, scene_text, file)
  M.files[name] = { text = scene_text, file = file }
end

local function passed_over()
  local names = {}
  for name in pairs(component.metadata) do
    names[#names + 1] = name .. "\n"
  end
  return table.concat(names)
end

-- → an array of handles; nil, message, line.
function M.read_text(scene_text)
  return native.scene_read(scene_text, passed_over())
end

function M.check_texts()
  for _, name in ipairs(sorted(M.files)) do
    local scene = M.files[name]
    if scene.text then
      local good, problem, line = native.scene_check(scene.text, passed_over())
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

-- Two systems, so that what was there is gone when the scene begins.
local function leave()
  if wanted_scene() then
    destroy_everything()
  end
end

local function enter()
  local scene, single, world = wanted_scene(), component.single["shoal.scene"], need("world")
  if not scene then
    return
  end
  local name = single.wanted
  single.current = name
  if scene.text then
    local made, problem, line = M.read_text(scene.text)
    if not made then
      report.fail { message = problem, file = scene.file, line = line, piece = "scene " .. name }
    end
  end
  for _, item in ipairs(scene.entities or {}) do
    world.spawn(item[1], item[2])
  end
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
  system.add("shoal.scene_start", { phase = "input", priority = -100000, after = "shoal.scene", update = enter }, at)
end

return M

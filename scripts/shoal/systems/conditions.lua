-- Conditions of systems. when = { game = { phase = "playing" } } compares singleton fields with values, and scene =
-- "camp" requires that the scene "camp" is open. The system runs only if all conditions hold. They are evaluated before
-- each run, so no state is kept.
local need, native = ...
local ffi = need("base/abi").ffi
local report = need("base/report")
local scope = need("base/scope")
local components = need("schema/component")
local renames = need("schema/renames")
local value = need("schema/value")

---@class engine.Condition a field of a singleton and the values that it may have, or scenes of which one must be open
---@field single? string
---@field field? string nil for scenes
---@field values? table<any, boolean> set of the values with which the condition holds
---@field scenes? table<string, boolean> set of scene names
---@field text string description for users: "game.phase = playing or demo"

---@class engine.conditions
local M = {}

local function find_singleton(name, fail)
  local component, singles = components.by_name[name], {}
  for candidate_name, candidate in pairs(components.by_name) do
    singles[candidate_name] = candidate.kind == "single" or nil
  end
  if not component then
    fail({ name }, "when: unknown singleton %s%s; available: %s", report.show(name), report.suggest(name, singles),
      report.join_names(singles))
  elseif component.kind ~= "single" then
    fail({ name }, "when must name a singleton, but every entity has its own %s: check %s in the system's function",
      name, name)
  end
  return component
end

-- Returns the conditions on a record by path: { ["colors.r"] = 1 } for { r = 1 }. Lists of values stay lists.
local function flatten_expected(component, path, expected, out)
  local record = component.records[path]
  if not record or type(expected) ~= "table" or #expected > 0 then
    out[path] = expected
    return out
  end
  for name, v in pairs(expected) do
    flatten_expected(component, path .. "." .. report.show(name), v, out)
  end
  return out
end

local function find_field(component, name, fail)
  local field, names = component.by_name[name], {}
  for _, item in ipairs(component.writable) do
    names[#names + 1] = item.base or item.field.name
  end
  if component.vectors[name] or field and (field.type == "entity" or field.type == "mat4") then
    fail({ component.name, name }, "when: %s.%s is %s: only numbers, strings, choices and booleans can be compared",
      component.name, name, component.vectors[name] and "a vector" or "of type " .. field.type)
  elseif not field or field.hidden then
    fail({ component.name, name }, "when: %s has no field %s%s; available: %s", component.name, report.show(name),
      report.suggest(name, names), report.join_names(names))
  end
  return field
end

-- Returns the value that the field has after `v` is stored in it: an f32 field rounds numbers.
local function round_to_field(field, v)
  return field.type == "f32" and tonumber(ffi.cast("float", v)) or v
end

-- Rejects a comparison with the list of open scenes, which would hold only while no other scene is open.
local function check_scene_list(component, path, expected, fail)
  if component.name == "shoal.scene" then
    local name = type(expected) == "string" and expected or "NAME"
    fail({ component.name, path }, "when: shoal.scene.%s lists all open scenes: use scene = \"%s\", which runs the "
      .. "system while that scene is open", path, name)
  end
end

local function read_condition(component, field, expected, fail)
  local list, values, parts = type(expected) == "table" and expected or { expected }, {}, {}
  for _, v in ipairs(list) do
    local ok, problem = pcall(value.encode, component, field, v, true)
    if not ok then
      fail({ component.name, field.name }, "when: %s", report.get_message(problem))
    end
    values[round_to_field(field, v)], parts[#parts + 1] = true, report.show(v)
  end
  if #parts == 0 then
    fail({ component.name, field.name }, "when: %s.%s must have a value or a list of values", component.name,
      field.name)
  end
  return { single = component.name, field = field.name, values = values,
    text = component.name .. "." .. field.name .. " = " .. table.concat(parts, " or ") }
end

-- Returns the conditions, and their description as text. `fail(path, …)` raises an error with the line of that path in
-- `when`.
---@param declaration table
---@param source engine.At
---@param fail fun(path: any[], message: string, ...: any)
---@return engine.Condition[]
---@return string
function M.read(declaration, source, fail)
  local list, parts, is_old = {}, {}, false
  local function find_line(...)
    return report.find_line(source.text, "when", ...)
  end
  for name, fields in pairs(declaration) do
    local is_renamed = renames.record_component_use(name, source.file, find_line(name))
    local component = not is_renamed and find_singleton(name, fail)
    if component and (type(fields) ~= "table" or next(fields) == nil) then
      fail({ name }, "when: %s must have a field and its value: use when = { %s = { FIELD = … } }", name, name)
    end
    for field, expected in pairs(component and fields or {}) do
      if renames.record_field_use(component, field, source.file, find_line(name, field)) then
        is_renamed = true
      else
        for path, v in pairs(flatten_expected(component, field, expected, {})) do
          check_scene_list(component, path, v, fail)
          list[#list + 1] = read_condition(component, find_field(component, path, fail), v, fail)
        end
      end
    end
    is_old = is_old or is_renamed
  end
  if #list == 0 and not is_old then
    fail({}, "when must name a singleton: use when = { game = { phase = \"playing\" } }")
  end
  table.sort(list, function(a, b) return a.text < b.text end)
  for i, item in ipairs(list) do
    parts[i] = item.text
  end
  return list, table.concat(parts, ", ")
end

-- Returns the names of all scenes in the game and its add-ons.
local function find_scenes()
  local names = {}
  local function add(root, prefix)
    for _, file in ipairs(native.sources(root .. "scenes")) do
      names[prefix .. file:match("^(.*)%.%w+$")] = true
    end
  end
  add("", "")
  for _, addon in ipairs(scope.list) do
    add(addon.root, addon.prefix)
  end
  return names
end

-- Returns the condition that one of these scenes is open. `fail(message, …)` raises an error with the line of `scene`.
---@param declaration string|string[]
---@param fail fun(message: string, ...: any)
---@return engine.Condition
function M.read_scenes(declaration, fail)
  local list, known, scenes = type(declaration) == "table" and declaration or { declaration }, find_scenes(), {}
  for _, name in ipairs(list) do
    if type(name) ~= "string" or not known[name] then
      fail("scene: scenes/%s.lua or .json not found%s", report.show(name), report.hint(report.show(name), known))
    end
    scenes[name] = true
  end
  if #list == 0 then
    fail("scene must be the name of a scene or a list of names, got an empty list")
  end
  return { scenes = scenes, text = "scene = " .. table.concat(list, " or ") }
end

local function is_scene_open(scenes)
  for name in components.single["shoal.scene"].current:gmatch("[^\n]+") do
    if scenes[name] then
      return true
    end
  end
  return false
end

-- Returns true if all conditions hold.
---@param list engine.Condition[]
---@return boolean
function M.are_met(list)
  for i = 1, #list do
    local item = list[i]
    if item.scenes then
      if not is_scene_open(item.scenes) then
        return false
      end
    elseif not item.values[value.get_path(components.single[item.single], item.field)] then
      return false
    end
  end
  return true
end

return M

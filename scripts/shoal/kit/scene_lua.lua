-- Converts scenes in Lua to JSON text. The table that scenes/NAME.lua returns has the structure of a scene in JSON
-- (store/scene.h), so the same parser reads both. The parser reports the location of an error as a path of keys;
-- M.find_line finds that path in the Lua file.
local need, native = ...
local handle = need("base/handle")
local json = need("base/json")
local report = need("base/report")
local number = need("math/number")
local missing_assets = need("messages/missing_assets")
local components = need("schema/component")
local value = need("schema/value")
local declared_values = need("world/declared_values")

---@class engine.scene_lua
local M = {}
local MAX_CHECKED = 1048576 -- maximum size in bytes of a JSON scene whose values are checked

-- Returns a copy of `v` in which values that JSON lacks are replaced: NaN and infinities by strings, shoal.none by
-- false, and entities by their ids if `use_entity_ids` is true. Otherwise, entities raise an error.
---@param v any
---@param ancestors table<table, boolean> the tables that contain `v`
---@param use_entity_ids? boolean
local function to_plain_value(v, ancestors, use_entity_ids)
  v = json.behind[v] or v
  local kind = type(v)
  if v == handle.none then
    return false
  elseif kind == "number" and v - v ~= 0 then
    return v ~= v and "nan" or v > 0 and "inf" or "-inf"
  elseif use_entity_ids and handle.get_id(v) then
    return handle.get_id(v)
  elseif kind == "userdata" then
    report.raise("a scene cannot contain a living entity: list the entity in the scene with an id, and refer "
      .. "to it by that id")
  elseif kind == "function" or kind == "thread" then
    report.raise("a scene cannot contain a %s", kind)
  elseif kind ~= "table" or ancestors[v] then
    return v -- a cycle, which json.encode reports
  end
  local out = {}
  ancestors[v] = true
  for key, item in next, v do
    out[key] = to_plain_value(item, ancestors, use_entity_ids)
  end
  ancestors[v] = nil
  return out
end

-- Replaces lists, such as points, with the strings that their fields store, and reports missing assets.
---@param component engine.Component
---@param values any
local function fill_texts(component, values)
  for _, field in ipairs(type(values) == "table" and component.fields or {}) do
    local v = value.get_path(values, field.name)
    if type(v) == "table" and (field.type == "string" or field.type == "asset") then
      value.set_path(values, field.name, value.to_plain_text(v, field))
    elseif type(v) == "string" and field.type == "asset" then
      missing_assets.check_field(v, component, field)
    end
  end
end

-- Warns about numbers out of their fields' ranges, which the parser clamps, or raises an error with --strict. Also
-- warns about angles that are probably in degrees.
local function check_ranges(component, values, locate, path)
  for _, field in ipairs(type(values) == "table" and component.fields or {}) do
    local label = component.name .. "." .. field.name
    local v = (field.range or field.is_angle) and value.get_path(values, field.name)
    local problem = type(v) == "number" and field.range and number.describe_range_problem(v, field.range, label)
    local angle_problem = type(v) == "number" and field.is_angle and number.find_angle_problem(label, v)
    if angle_problem then
      local file, line = locate(field.name, path, report.show(v))
      declared_values.warn(file, line, angle_problem)
    end
    if problem then
      local file, line = locate(field.name, path, report.show(v), native.strict)
      if native.strict then
        report.raise("%s", problem)
      end
      declared_values.warn(file, line, problem)
    end
  end
end

local function visit_values(component, values, locate, path)
  check_ranges(component, values, locate, path)
  declared_values.check(component, values, function(field)
    return locate(field, path, values[field])
  end, true)
end

-- Checks the values of an entity and its children, unless `locate` is nil. locate(field, path, v) must return the file
-- and the line of a field. `path` consists of the keys from the root to the component or its instance, one per line.
-- Calls fill(component, values) for the values of each component, unless `fill` is nil.
local function visit_components(item, locate, path, fill)
  local function visit(component, values, value_path)
    if locate then
      visit_values(component, values, locate, value_path)
    end
    if fill then
      fill(component, values)
    end
  end
  for name, values in pairs(type(item.components) == "table" and item.components or {}) do
    local component, value_path = components.by_name[name], path .. "\ncomponents\n" .. tostring(name)
    if component and component.kind == "many" then
      for instance, instance_values in pairs(type(values) == "table" and values or {}) do
        visit(component, instance_values, value_path .. "\n" .. tostring(instance))
      end
    elseif component then
      visit(component, values, value_path)
    end
  end
  for key, child in pairs(type(item.children) == "table" and item.children or {}) do
    if type(child) == "table" then
      visit_components(child, locate, path .. "\nchildren\n" .. tostring(key), fill)
    end
  end
end

-- Returns the line of a JSON text that contains a field with this value; 1 if it is not found.
local function find_line_of_field(scene_text, field, v)
  for offset, field_text in scene_text:gmatch("()\"" .. field:gsub("%p", "%%%0") .. "\"%s*:%s*([^,}\n]+)") do
    if field_text:find(v:match("^[^\n,}]*"), 1, true) then
      return select(2, scene_text:sub(1, offset):gsub("\n", "")) + 1
    end
  end
  return 1
end

-- Reports, with their lines, values of a JSON scene that cannot have the intended effect (world/declared_values.lua).
-- The scene's parser reports invalid JSON and former names.
---@param scene_text string
---@param file string
function M.check_text(scene_text, file)
  local is_loaded, scene = native.json_decode(#scene_text <= MAX_CHECKED and scene_text or "{}")
  local problem_line = 1
  local function locate(field, _, v)
    problem_line = find_line_of_field(scene_text, field, v)
    return file, problem_line
  end
  for i, item in ipairs(is_loaded and type(scene) == "table" and type(scene.entities) == "table" and scene.entities
    or {}) do
    local ok, problem = pcall(type(item) == "table" and visit_components or type, item, locate, "")
    if not ok then
      report.raise("%s:%d: entity %d: %s", file, problem_line, i, report.get_message(problem))
    end
  end
end

local function encode_item(item, locate, path)
  item = to_plain_value(item, {})
  if type(item) == "table" then
    visit_components(item, locate, path, fill_texts)
  end
  return json.encode(item)
end

local function fill_without_matrices(component, values)
  fill_texts(component, values)
  for _, field in ipairs(type(values) == "table" and component.fields or {}) do
    if field.type == "mat4" and not field.read_only and value.get_path(values, field.name) ~= nil then
      value.set_path(values, field.name, nil)
    end
  end
end

-- Returns a scene entity as JSON text, without its matrices. Entities of the world become their ids.
---@param item table
---@return string
function M.format_entity(item)
  item = to_plain_value(item, {}, true)
  visit_components(item, nil, "", fill_without_matrices)
  return json.encode(item)
end

-- Returns the line of a value in a Lua file. If code creates the value, returns the line of the innermost table
-- constructor on its path that the file contains or, if that is line 1, the first line with the value's key.
---@param source string
---@param path string keys and numbers from the root, one per line
---@return integer
function M.find_line(source, path)
  local position = native.positions(source)
  local line, is_found, last_key = position and position.line or 1, true, nil
  for key in path:gmatch("[^\n]+") do
    position = is_found and position and (position[key] or position[tonumber(key)])
    is_found, last_key = position ~= nil and position ~= false, key
    line = is_found and position.line or line
  end
  return not is_found and line == 1 and report.find_line(source, last_key) or line
end

-- Returns a scene as JSON text. On failure, returns nil, a message, and the location as a path of keys (M.find_line).
---@param scene { entities?: table[], format?: number }
---@param at engine.At
---@return string?
---@return string problem
---@return string place
function M.format_scene(scene, at)
  local entities, out, max_key = scene.entities or {}, {}, 0
  for key in next, entities do
    max_key = type(key) == "number" and math.max(max_key, key) or math.huge
  end
  for i, item in ipairs(entities) do
    local entry_path = "entities\n" .. i
    if type(item) == "table" and (item[1] ~= nil or item[2] ~= nil) then
      return nil, string.format("entity %d: write { assemblage = %q, components = { … } } instead of a list", i,
        type(item[1]) == "string" and item[1] or "tank"), entry_path
    end
    missing_assets.get_location = function()
      return string.format("%s:%d: entity %d: ", at.file, M.find_line(at.text, entry_path), i)
    end
    local ok, text = pcall(encode_item, item, function(field, path, _, is_fatal)
      local full_path = path .. (field and "\n" .. field:gsub("%.", "\n") or "")
      entry_path = is_fatal and full_path or entry_path
      return at.file, M.find_line(at.text, full_path)
    end, entry_path)
    missing_assets.get_location = nil
    if not ok then
      return nil, string.format("entity %d: %s", i, report.get_message(text)), entry_path
    end
    out[i] = text
  end
  if max_key > #out then
    return nil, "entities must be a list without gaps", "entities"
  end
  return string.format("{\"format\":%s,\"entities\":[%s]}", scene.format or 1, table.concat(out, ",\n")), "", ""
end

return M

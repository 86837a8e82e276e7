-- Entities as JSON: e:json(), and world.spawn with a table of the same structure. An entity has the same structure in a
-- scene file (store/scene.h), except that here ids and references are entity ids, and all fields are included.
local need, native = ...
local handle = need("base/handle")
local json = need("base/json")
local late_binding = need("base/late_binding")
local report = need("base/report")
local components = need("schema/component")
local value = need("schema/value")
local assemblage = need("world/assemblage")
local entity = need("world/entity")
local scene = need("kit/scene")
local scene_lua = need("kit/scene_lua")

-- Converts a value: NaN and infinities become strings, an f32 is written with the fewest digits that represent it, and
-- entities become ids (0 for no entity and for dead entities).
local function to_json_value(v, kind)
  if type(v) == "number" and v - v ~= 0 then
    return v ~= v and "nan" or v > 0 and "inf" or "-inf"
  elseif kind == "list" then
    return #v > 0 and v or json.EMPTY_LIST
  elseif kind == "f32" then
    return json.round_to_shortest_f32(v)
  elseif kind == "entity" then
    local id = handle.get_id(v)
    return id and handle.is_alive(id) and id or 0
  end
  return v
end

-- Adds `false` for each component and instance of a template that the entity lacks.
local function mark_missing(values, template)
  for name, instances in pairs(template or {}) do
    local component, entity_values = components.by_name[name], values[name]
    if entity_values == nil then
      values[name] = false
    end
    for instance in pairs(entity_values and component.kind == "many" and instances or {}) do
      entity_values[instance] = entity_values[instance] ~= nil and entity_values[instance]
    end
  end
end

-- Returns an entity as a table. `is_slot_child`: true for a child that an assemblage declares; its slot determines its
-- assemblage and its parent.
local function describe_item(e, with_children, is_slot_child)
  local id = entity.living(e, "json")
  local resolved = assemblage.find(e:assemblage() or "")
  local item = { id = id, state = resolved and e:state() }
  local components_by_name = entity.describe(id, to_json_value, true)
  if resolved then
    mark_missing(components_by_name, resolved.template)
    mark_missing(components_by_name, item.state and resolved.states[item.state])
    item.assemblage = not is_slot_child and resolved.name or nil
  end
  if components_by_name.name ~= nil then
    item.name, components_by_name.name = components_by_name.name and components_by_name.name.value, nil
  end
  if components_by_name.transform then
    local parent = components_by_name.transform.parent
    item.parent, components_by_name.transform.parent = not is_slot_child and parent ~= 0 and parent or nil, nil
  end
  item.components = components_by_name
  for _, name in ipairs(with_children and resolved and resolved.order or {}) do
    local child = e:child(name)
    item.children = item.children or {}
    item.children[name] = child and describe_item(child, true, true) or false
  end
  return item
end

local methods = {}

-- Returns the entity as JSON that world.spawn(json.decode(…)) accepts, without read-only fields. `options.children`:
-- true includes the assemblage's children; otherwise a copy of the entity gets its children from the assemblage.
function methods.json(e, options)
  entity.living(e, "json")
  if options ~= nil and type(options) ~= "table" then
    report.raise("e:json: the options must be a table, { children = true }, got %s", report.describe(options))
  end
  for key, v in pairs(options or {}) do
    if key ~= "children" then
      report.raise("e:json has no option %s%s; available: children", report.show(key),
        report.suggest(key, { "children" }))
    elseif type(v) ~= "boolean" then
      report.raise("e:json: children must be true or false, got %s", report.describe(v))
    end
  end
  return json.encode(describe_item(e, options ~= nil and options.children, false))
end

entity.add_methods(methods)

local function set_matrices(row, component, values)
  for _, field in ipairs(type(values) == "table" and component.fields or {}) do
    local v = field.type == "mat4" and not field.read_only and value.get_path(values, field.name) or nil
    if v ~= nil then
      local record, name = field.name:match("^(.*)%.([^.]+)$")
      value.get_path(row, record or "")[name or field.name] = v
    end
  end
end

-- Sets the matrices of a spawned entity and of its children, because scenes cannot contain them.
local function set_all_matrices(e, item)
  for name, values in pairs(item.components or {}) do
    local component = components.by_name[name]
    if component and component.kind == "many" then
      for instance, instance_values in pairs(values or {}) do
        set_matrices(instance_values and e[name][instance], component, instance_values)
      end
    elseif component and values then
      set_matrices(e[name], component, values)
    end
  end
  for name, child in pairs(item.children or {}) do
    if child then
      set_all_matrices(e:child(name), child)
    end
  end
end

-- Returns true if a table passed to world.spawn describes an entity as in a scene file, and is neither a list nor a
-- table of components such as { transform = { x = 10 } }.
function late_binding.is_entity(item)
  for key in pairs(json.behind[item] or item) do
    if type(key) ~= "string" or components.by_name[key] and key ~= "name" then
      return false
    end
  end
  return true
end

function late_binding.spawn_entity(item)
  local ok, item_text = pcall(scene_lua.format_entity, item)
  if not ok then
    report.raise("world.spawn: %s", report.get_message(item_text))
  end
  local spawned, problem = native.scene_read('{"entities":[' .. item_text .. "]}", scene.list_metadata(), true)
  if not spawned then
    -- Removes the position in the list, which is always 1, from the parser's message "entity 1 (tank): …".
    report.raise("world.spawn: %s", (problem:gsub("^entity 1: ", ""):gsub("^entity 1 %((.-)%): ", "%1: ")))
  end
  set_all_matrices(spawned[1], item)
  return handle.get_id(spawned[1])
end

-- Assemblages: templates for entities. `resolve_assemblage` composes and checks the declarations without changing the
-- world; `declare_assemblage` passes the result to C as column templates.
--
-- A resolved template is { component name → { instance name → values } }. The instance name is "" for unnamed
-- instances; only `many` components have named instances.
local need, native = ...
local abi = need("base/abi")
local late_binding = need("base/late_binding")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local text = need("base/string_table")
local number = need("math/number")
local missing_assets = need("messages/missing_assets")
local collision_layers = need("schema/collision_layers")
local renames = need("schema/renames")
local requirements = need("schema/requirements")
local components = need("schema/component")
local value = need("schema/value")
local declared_values = need("world/declared_values")
local plugins = need("world/plugins")
local find_line = need("world/assemblage_lines")
local states = need("world/states")
local C, W = abi.C, abi.world
local bit = require("bit")

---@alias engine.Template table<string, table<string, table<string, any>>>

---@class engine.Assemblage a composed and checked assemblage
---@field name string name; for a child, its path: "tank/turret"
---@field template engine.Template components that the entity has in every state
---@field states table<string, engine.Template> by state: components that the entity has only in this state
---@field extras table<string, engine.StateExtras> by state: functions and `keep` (world/states.lua)
---@field initial? string the initial state
---@field children table<string, engine.Assemblage>
---@field order string[] keys of `children` in the order in which they are spawned
---@field at engine.At
---@field doc? string description shown to users; not inherited
---@field renamed_from string[] former names; not inherited
---@field renamed_states table<string, string[]> former state names by current name
---@field implied table<engine.Template, table<string, string>> components that a template contains only because
---another component requires them: name → the requiring component

---@class engine.assemblage
---@field resolved table<string, engine.Assemblage>
---@field former table<string, string> former name → current name
local M = { resolved = {}, former = {} }
scope.register("assemblage", M, "resolved")

local MAX_INSTANCES = 1024 -- equal to MANAGER_MAX_INSTANCES in ecs/manager.h

-- Location of assemblages from world.define, which have no file. Such an assemblage must not use former names of
-- components and fields; world/definitions.lua converts former names in stored definitions to current ones.
local DEFINED = { file = "world.define", text = "" }

local KEYS = { is = true, components = true, without = true, children = true, states = true, doc = true,
  renamed_from = true }

local function fail(source, path, message, ...)
  report.fail { message = string.format(message, ...), file = source.file, line = find_line(source, path),
    piece = "assemblage " .. path[1] }
end

-- Returns `fields` without former names of fields. Records each former name as an error (schema/renames.lua).
local function remove_old_names(source, path, instance, component, fields)
  if source == DEFINED or not renames.has_old_fields(component) or type(fields) ~= "table" then
    return fields
  end
  local out = {}
  for name, v in pairs(fields) do
    local value_path = { unpack(path) }
    value_path[#value_path + 1] = instance ~= "" and instance or nil
    value_path[#value_path + 1] = name
    if not renames.record_field_use(component, name, source.file,
      renames.describe_field_rename(component, name) and find_line(source, value_path) or 1) then
      out[name] = v
    end
  end
  return out
end

-- Checks the values of one component. Errors contain the location of the field. Returns the values as plain tables
-- (schema/value.lua).
local function check_values(source, path, instance, component, fields)
  local values_path = { unpack(path) }
  values_path[#values_path + 1] = instance ~= "" and instance or nil
  missing_assets.get_location = function()
    return string.format("%s:%d: ", source.file, find_line(source, values_path))
  end
  number.get_location = function()
    return string.format("%s:%d", source.file, find_line(source, values_path))
  end
  number.refuses_nan = true
  local ok, problem = pcall(value.check, component, fields)
  missing_assets.get_location, number.refuses_nan, number.get_location = nil, nil, nil
  local nan_field = ok and declared_values.find_nan(component, problem)
  if nan_field then
    ok, problem = false, string.format("%s.%s must be a number, got nan: check for a division by zero",
      component.name, nan_field)
  end
  if not ok then
    local message, error_path = report.get_message(problem), { unpack(values_path) }
    for part in (message:match("^[%w_]+%.([%w_%.]+)") or ""):gmatch("[^.]+") do
      error_path[#error_path + 1] = part
    end
    error_path[#error_path + 1] = message:match("has no field ([%w_]+)")
    fail(source, error_path, "%s", message)
  end
  if source ~= DEFINED then
    declared_values.check(component, problem, function(field)
      local keys = { unpack(values_path) }
      for part in field:gmatch("[^.]+") do
        keys[#keys + 1] = part
      end
      return source.file, find_line(source, keys)
    end)
  end
  return problem
end

-- Returns the values of a component by instance name. `values` are the fields of the unnamed instance; for a `many`
-- component, they may instead map instance names to tables of fields.
---@param component engine.Component
---@param values any
---@return table<string, any> by instance name, "" for the unnamed instance
local function split_instances(component, values)
  if component.kind ~= "many" or type(values) ~= "table" then
    return { [""] = values }
  end
  for name, v in pairs(values) do
    if type(v) ~= "table" and type(v) ~= "function" or component.by_name[name] or component.records[name] then
      return { [""] = values }
    end
  end
  for name in pairs(values) do
    if type(name) ~= "string" then
      report.raise("%s: instance names must be strings, got %s", component.name, report.describe(name))
    elseif component.name == "disabled" and name ~= "entity" and not components.by_name[name] then
      report.raise("disabled: unknown component %s%s (use \"entity\" for the whole entity)", name,
        report.suggest(name, components.by_name))
    end
  end
  return values
end
M.split_instances = split_instances

-- Returns the names of components excluded with false, as in `gun = false`. States cannot exclude components.
local function list_excluded(declaration)
  local names = {}
  for name, values in pairs(type(declaration) == "table" and declaration or {}) do
    names[#names + 1] = values == false and type(name) == "string" and name or nil
  end
  return names
end
M.left_out = list_excluded

-- Merges `fields` into the values of one instance. `fields` take precedence.
local function merge_fields(instances, instance, fields)
  instances[instance] = instances[instance] or {}
  for field, v in pairs(fields) do
    instances[instance][field] = v
  end
end

-- Checks the declaration of one component and merges its instances into `template`. `path`: keys that lead to the
-- declaration, for the line in messages.
local function read_component(source, path, component, values, template, extras)
  local name = component.name
  local is_function = type(values) == "function"
  if is_function and component.kind == "many" then
    fail(source, path, "%s has named instances: use %s = { left = function(e) … end }", name, name)
  elseif type(values) ~= "table" and not is_function
    and (#component.writable ~= 1 or not component.writable[1].field) then
    fail(source, path, "%s must be a table of fields, got %s%s", name, report.describe(values),
      value.as_field(component,
      values))
  end
  if type(values) ~= "table" and not is_function then
    values = { [component.writable[1].field.name] = values }
  end
  template[name] = template[name] or {}
  local ok, instances = pcall(split_instances, component, values)
  if not ok then
    fail(source, path, "%s", report.get_message(instances))
  end
  for instance, instance_values in pairs(instances) do
    local is_extra_valid, fields = pcall(states.read, extras, component, instance, instance_values)
    if not is_extra_valid then
      fail(source, path, "%s", report.get_message(fields))
    elseif type(instance_values) == "function" then -- a function replaces inherited values
      template[name][instance] = nil
    end
    merge_fields(template[name], instance,
      check_values(source, path, instance, component, remove_old_names(source, path, instance, component, fields)))
  end
end

-- Checks the components declared for an assemblage or a state, and merges them into `template`. `extras` receives the
-- functions and the `keep` of a state (world/states.lua); nil for the components outside states.
local function read_components(source, path, declaration, template, extras)
  if type(declaration) ~= "table" then
    fail(source, path,
      "components must be a table of component name → fields, got %s: use { transform = { x = 10 }, … }",
      report.describe(declaration))
  end
  for name, values in pairs(declaration) do
    local component = components.by_name[name]
    local component_path = { unpack(path) }
    component_path[#component_path + 1] = name
    if type(name) ~= "string" then
      fail(source, path, "components must have names, got the key %s: use components = { transform = {}, … }",
        report.show(name))
    elseif source ~= DEFINED and renames.by_name[name] then
      renames.record_component_use(name, source.file, find_line(source, component_path))
      component = nil
    elseif not component and not components.metadata[name]
      and not plugins.must_skip(path[1] .. "." .. report.show(name), name) then
      fail(source, component_path, "%s: unknown component %s%s", path[1], report.show(name),
        components.hint(name))
    elseif component and component.kind == "single" then
      fail(source, component_path, "%s is a singleton, which belongs to no entity: remove it here, and set "
        .. "world.single.%s in a `start`", name, name)
    end
    if component and values == false and path[2] ~= "components" then
      fail(source, component_path, "%s = false is not allowed in a state: states only add components", name)
    elseif component and values ~= false then
      read_component(source, component_path, component, values, template, extras)
    end
  end
end

local resolve_assemblage

local function read_parents(source, name, declaration)
  local parents = declaration.is
  if parents == nil then
    return {}
  end
  for _, parent in ipairs(type(parents) == "table" and parents or { parents }) do
    if type(parent) ~= "string" then
      fail(source, { name, "is" },
        "`is` must be the name of an assemblage or a list of names, got %s: use is = \"tank\"",
        report.describe(parent))
    end
  end
  return type(parents) == "table" and parents or { parents }
end

-- `implied`: names in `source` to skip, because they are added again if another component requires them.
local function merge_template(target, source, implied)
  for name, instances in pairs(source) do
    if implied[name] then
      goto continue
    end
    target[name] = target[name] or {}
    for instance, fields in pairs(instances) do
      merge_fields(target[name], instance, fields)
    end
    ::continue::
  end
end

-- Returns a declaration's former names as a list; they are declared as a string or a list. `path`: keys of the
-- declaration; `current`: the current name.
local function read_former_names(source, path, current, declaration)
  local names = type(declaration) == "table" and { unpack(declaration) } or { declaration }
  local count, seen = 0, { [current] = true }
  for _ in pairs(type(declaration) == "table" and declaration or names) do
    count = count + 1
  end
  for _, old_name in ipairs(names) do
    if type(old_name) ~= "string" or not old_name:find("^[%a_][%w_]*$") or seen[old_name] then
      fail(source, path, seen[old_name] and old_name ~= current and "renamed_from of %s contains %s twice: remove one"
        or "renamed_from of %s must be its old name or a list of old names, got %s", current, report.show(old_name))
    end
    seen[old_name] = true
  end
  if count ~= #names then
    fail(source, path, "renamed_from of %s must be its old name or a list of old names, got %s", current,
      report.show(declaration))
  end
  return names
end

-- Reads `renamed_from = { calm = "idle" }` in the table of states.
local function read_renamed_states(source, name, declaration, out)
  local path = { name, "states", "renamed_from" }
  if type(declaration) ~= "table" or #declaration > 0 then
    fail(source, path,
      "renamed_from of the states of %s must be a table of new and old names, got %s: use renamed_from = "
      .. "{ calm = \"idle\" }", name, report.show(declaration))
  end
  for _, state in ipairs(sorted_keys(declaration)) do
    if not out.states[state] then
      fail(source, path, "renamed_from of the states of %s: unknown state %s%s", name, report.show(state),
        report.hint(state, out.states))
    end
    out.renamed_states[state] = read_former_names(source, path, state, declaration[state])
  end
end

local function check_renamed_states(source, name, out)
  for _, state in ipairs(sorted_keys(out.renamed_states)) do
    for _, old_name in ipairs(out.renamed_states[state]) do
      if out.states[old_name] then
        fail(source, { name, "states" },
          "renamed_from of the state %s of %s: the state %s is still declared: remove the "
          .. "state, or the rename", state, name, old_name)
      end
    end
  end
end

local function read_states(source, name, declaration, out)
  if type(declaration) ~= "table" then
    fail(source, { name, "states" }, "states must be a table of state name → components, got %s: "
      .. "use states = { initial = \"idle\", idle = {} }", report.describe(declaration))
  end
  for state, parts in pairs(declaration) do
    if state == "initial" then
      out.initial = parts
    elseif state == "renamed_from" then
      goto continue
    elseif type(parts) ~= "table" then
      fail(source, { name, "states", state }, "the state %s must be a table of component name → fields%s",
        report.show(state), report.suggest(state, { "initial" }))
    else
      local template, extras = out.states[state] or {}, out.extras[state] or {}
      read_components(source, { name, "states", state }, parts, template, extras)
      out.states[state], out.extras[state] = template, extras
    end
    ::continue::
  end
  if declaration.renamed_from ~= nil then
    read_renamed_states(source, name, declaration.renamed_from, out)
  end
  if next(out.states) and not out.states[out.initial] then
    if out.initial == nil then
      fail(source, { name, "states" }, "%s has states but no initial one: add initial = \"%s\"",
        name, report.join_names(out.states):match("^[^,]+"))
    end
    fail(source, { name, "states", "initial" }, "%s: the initial state %s is not one of %s%s", name,
      report.show(out.initial), report.join_names(out.states), report.suggest(out.initial, out.states))
  end
end

local function check_instances(source, name, template)
  for component_name, instances in pairs(template) do
    local count = 0
    for _ in pairs(instances) do
      count = count + 1
    end
    if count > MAX_INSTANCES then
      fail(source, { name, "components", component_name }, "too many instances of %s: %d (at most %d per entity)",
        component_name, count, MAX_INSTANCES)
    end
  end
end

-- Appends a child to the spawn order, or replaces the inherited child with this name in its position.
local function add_child(out, child, resolved)
  if not out.children[child] then
    out.order[#out.order + 1] = child
  end
  out.children[child] = resolved
end

-- Merges the components, states and children of the assemblages in `is` into `out`, in the order of the list.
local function merge_parents(out, location, name, declaration, source, chain)
  for _, parent in ipairs(read_parents(location, name, declaration)) do
    local base = resolve_assemblage(parent, source, chain, location, name)
    merge_template(out.template, base.template, base.implied[base.template])
    for state, template in pairs(base.states) do
      out.states[state] = out.states[state] or {}
      merge_template(out.states[state], template, base.implied[template])
      out.extras[state] = out.extras[state] or {}
      states.merge(out.extras[state], base.extras[state] or {})
    end
    out.initial = base.initial or out.initial
    for state, names in pairs(base.renamed_states) do
      out.renamed_states[state] = names
    end
    for _, child in ipairs(base.order) do
      add_child(out, child, base.children[child])
    end
  end
end

-- Returns the suggestion for an unknown key of a declaration: the nearest key or component. A child without
-- `components` may list components next to its other keys.
local function suggest_key(name, declaration, key)
  local nearest = components.by_name[key] and key
    or not report.find_nearest(key, KEYS) and report.find_nearest(key, components.by_name)
  if not nearest then
    return report.suggest(key, KEYS)
  end
  local is_inline_component = name:find("/", 1, true) and declaration.components == nil
  return string.format(is_inline_component and " (did you mean %s?)"
    or " (did you mean components = { %s = … }?)", nearest)
end

-- Checks the keys, `doc`, `without` and `children` of a declaration. Returns a list with the names of the components in
-- `without`, and the table of children.
local function check_parts(source, name, declaration)
  for key in pairs(declaration) do
    if not KEYS[key] then
      fail(source, { name, key }, "%s has no field %s%s; available: components, is, without, children, states, doc, "
        .. "renamed_from", name,
        report.show(key), suggest_key(name, declaration, key))
    end
  end
  if declaration.doc ~= nil and (type(declaration.doc) ~= "string" or declaration.doc == "") then
    fail(source, { name, "doc" }, "doc of %s must be a description, got %s: use doc = \"a tank without its gun\"", name,
      report.describe(declaration.doc))
  end
  if declaration.renamed_from ~= nil and (source == DEFINED or name:find("/", 1, true)) then
    fail(source, { name, "renamed_from" }, "%s cannot have renamed_from: only assemblages that files declare can be "
      .. "renamed", name)
  end
  local without, children = declaration.without or {}, declaration.children or {}
  if type(without) == "string" then
    without = { without }
  elseif type(without) ~= "table" then
    fail(source, { name, "without" }, "`without` must be the name of a component or a list of names, got %s: "
      .. "use without = \"gun\"", report.describe(without))
  end
  without = { unpack(without) }
  for _, excluded in ipairs(list_excluded(declaration.components)) do
    without[#without + 1] = excluded
  end
  if type(children) ~= "table" then
    fail(source, { name, "children" }, "children must be a table of child name → a table like an assemblage, got %s: "
      .. "use children = { turret = { is = \"turret\" } }", report.describe(children))
  end
  return without, children
end

local function remove_components(out, source, name, without)
  for _, excluded in ipairs(without) do
    local is_old = source ~= DEFINED and renames.record_component_use(excluded, source.file,
      find_line(source, { name, "without", excluded }))
    if not is_old and not components.by_name[excluded] and not components.metadata[excluded]
      and not plugins.must_skip(name, excluded) then
      fail(source, { name, "without" }, "`without` of %s: unknown component %s%s", name,
        report.show(excluded), report.hint(excluded, components.by_name))
    end
    out.template[excluded] = nil
    for _, template in pairs(out.states) do
      template[excluded] = nil
    end
  end
end

-- Adds the components that a template's components require, except components in `base`, to the template.
local function add_required(out, template, base)
  local implied = {}
  for _, name in ipairs(sorted_keys(template)) do
    requirements.visit_required(name, function(required, via)
      if not template[required] and not (base and base[required]) then
        template[required], implied[required] = { [""] = {} }, via
      end
    end)
  end
  out.implied[template] = implied
end

-- Raises an error if `without` excludes a required component, or if leaving a state would remove one.
local function check_required(out, source, name, without)
  for _, template in pairs(out.implied) do
    for _, excluded in ipairs(without) do
      if template[excluded] then
        fail(source, { name, "without" }, "%s cannot be without %s, which its %s requires: remove %s, too", name,
          excluded,
          template[excluded], template[excluded])
      end
    end
  end
  for required, via in pairs(out.implied[out.template]) do
    for _, state in ipairs(sorted_keys(out.states)) do
      if out.states[state][required] then
        fail(source, { name, "states", state, required }, "leaving the state %s of %s would remove %s, which its %s "
          .. "requires: declare %s in components", state, name, required, via, required)
      end
    end
  end
end

-- Returns the declaration of a child with its components under the key `components`: a child may also list components
-- next to `is` and the other keys.
local function normalize_child(declaration)
  if declaration.components ~= nil then
    return declaration
  end
  local out, parts = {}, nil
  for key, v in pairs(declaration) do
    if type(key) == "string" and not KEYS[key]
      and (components.by_name[key] or components.metadata[key] or renames.by_name[key]) then
      parts = parts or {}
      parts[key] = v
    else
      out[key] = v
    end
  end
  out.components = parts
  return parts and out or declaration
end

local compose_assemblage

-- Returns the positions of the entries of `children` in the table constructor in the file (native.positions); nil if
-- the file computes the table. `path`: the names of the assemblage and its nested children, "tank/turret".
local function find_child_positions(source, path)
  local positions = source ~= DEFINED and report.get_positions(source) or nil
  for part in path:gmatch("[^/]+") do
    positions = type(positions) == "table" and (positions[part] or positions[tonumber(part)]) or nil
    positions = type(positions) == "table" and positions.children or nil
  end
  return type(positions) == "table" and positions or nil
end

-- Returns the keys of children in the order in which the file's table constructor contains them. If code computes the
-- children, numbers come first, in order, followed by names in alphabetical order.
local function sort_children(source, name, children)
  local keys = sorted_keys(children)
  local positions = #keys > #children and find_child_positions(source, name) or nil
  for _, key in ipairs(keys) do
    local position = positions and positions[key]
    positions = type(position) == "table" and position[0] and positions or nil
  end
  table.sort(keys, function(a, b)
    if positions then
      return positions[a][0] < positions[b][0]
    elseif type(a) ~= type(b) then
      return type(a) == "number"
    end
    return a < b
  end)
  return keys
end

-- Composes and adds the children of an assemblage. A child is attached to its parent's transform, so both get a
-- transform.
local function add_children(out, location, name, children, source, chain)
  if next(children) ~= nil then
    out.template.transform = out.template.transform or { [""] = {} }
  end
  for key in pairs(children) do
    if type(key) ~= "string" and type(key) ~= "number" then
      fail(location, { name, "children" }, "a child must be named by a string or a number, got the key %s",
        report.show(key))
    end
  end
  for _, key in ipairs(sort_children(location, name, children)) do
    local child_declaration = children[key]
    local child = type(key) == "number" and tostring(key) or key -- children in a list are named by their number
    if type(child_declaration) ~= "table" or type(child) ~= "string" then
      fail(location, { name, "children", key }, "the child %s must be a table like an assemblage, got %s: "
        .. "use { is = \"turret\" }",
        report.show(key), report.describe(child_declaration))
    elseif type(key) == "number" and (key % 1 ~= 0 or key < 1 or key > #children) then
      fail(location, { name, "children" }, "children must be a list without gaps or have names, got the key %s",
        report.show(key))
    end
    add_child(out, child, compose_assemblage(location, name .. "/"
      .. child, normalize_child(child_declaration), source, chain))
    local parts = out.children[child].template
    parts.transform = parts.transform or { [""] = {} }
  end
end

local EMPTY = {} -- shared, because most assemblages have no states, children or former names
local OFTEN_EMPTY = { "states", "extras", "children", "order", "renamed_from", "renamed_states" }

-- Replaces empty tables of a composed assemblage with the shared EMPTY. The assemblage must not change afterwards.
local function share_empty_tables(out)
  for _, key in ipairs(OFTEN_EMPTY) do
    out[key] = next(out[key]) ~= nil and out[key] or EMPTY
  end
  for template, implied in pairs(out.implied) do
    out.implied[template] = next(implied) ~= nil and implied or EMPTY
  end
end

function compose_assemblage(location, name, declaration, source, chain)
  local out = { name = name, template = {}, states = {}, extras = {}, children = {}, order = {}, at = location,
    doc = declaration.doc, implied = {}, renamed_from = {}, renamed_states = {} }
  merge_parents(out, location, name, declaration, source, chain)
  local without, children = check_parts(location, name, declaration)
  if declaration.components ~= nil then
    read_components(location, { name, "components" }, declaration.components, out.template)
  end
  remove_components(out, location, name, without)
  if declaration.states ~= nil then
    read_states(location, name, declaration.states, out)
  end
  check_renamed_states(location, name, out)
  if declaration.renamed_from ~= nil then
    out.renamed_from = read_former_names(location, { name, "renamed_from" }, name, declaration.renamed_from)
  end
  add_required(out, out.template)
  for _, template in pairs(out.states) do
    add_required(out, template, out.template)
  end
  check_required(out, location, name, without)
  add_children(out, location, name, children, source, chain)
  check_instances(location, name, out.template)
  for _, template in pairs(out.states) do
    check_instances(location, name, template)
  end
  share_empty_tables(out)
  return out
end

-- Returns the resolved assemblage, after resolving its bases. `chain`: names of the assemblages being resolved, for the
-- error about a cycle. `location` and `user`: place where `name` is used, and the assemblage that uses it.
function resolve_assemblage(name, source, chain, location, user)
  if M.resolved[name] then
    return M.resolved[name]
  end
  local entry = source[name]
  if not entry then
    fail(location, { user, "is" }, "`is` of %s: unknown assemblage %s%s", table.concat(chain, " → "), name,
      M.hint(name, source))
  end
  for i, ancestor in ipairs(chain) do
    if ancestor == name then
      fail(entry.at, { chain[#chain], "is" }, "cyclic assemblages: %s → %s", table.concat(chain, " → ", i), name)
    end
  end
  chain[#chain + 1] = name
  local out = compose_assemblage(entry.at, name, entry.declaration, source, chain)
  chain[#chain] = nil
  M.resolved[name] = out
  return out
end

-- The assemblages that files declare: declarations by name, resolved assemblages by name, and their ids in C by
-- resolved assemblage.
local files, resolved_files, file_assemblage_ids = {}, {}, {}

local function copy(t)
  local out = {}
  for name, v in pairs(t) do
    out[name] = v
  end
  return out
end

---@class engine.Source
---@field declaration any
---@field at engine.At

-- Warns about an assemblage that has the name of a component but does not contain it: world.count(name) and
-- world.each(name) use the component, so they would not find the entities of the assemblage.
local function warn_of_missing_component(name, resolved)
  local component, is_contained = components.by_name[name], resolved.template[name]
  for _, template in pairs(resolved.states) do
    is_contained = is_contained or template[name]
  end
  if component and component.kind ~= "single" and not is_contained then
    native.log("warn", string.format("%s:%d: assemblage %s does not contain the component %s: world.count(\"%s\") "
      .. "and world.each(\"%s\") count the component: add %s = {}, or rename one of them", resolved.at.file,
      report.find_line(resolved.at.text, name), name, name, name, name, name))
  end
end

-- Returns true if an assemblage's body has the same mask and category as the body of one of its bases. Mistakes are
-- then reported for the base only.
local function inherits_mask(name, all)
  local body = all[name].template.body[""]
  for _, parent in ipairs(files[name] and read_parents(all[name].at, name, files[name].declaration) or {}) do
    local base = all[parent] and all[parent].template.body
    if base and base[""] and base[""].mask == body.mask and base[""].category == body.category then
      return true
    end
  end
  return false
end

-- Returns the declared bodies whose category and mask are each a number or missing, sorted by the assemblage's name.
-- `inherits`: true if category and mask come from a base.
local function list_declared_bodies(all)
  local bodies = {}
  for _, name in ipairs(sorted_keys(all)) do
    local body = all[name].template.body and all[name].template.body[""]
    local mask, category = body and body.mask, body and body.category or 1
    if body and (mask == nil or type(mask) == "number") and type(category) == "number" then
      bodies[#bodies + 1] = { name = name, mask = mask, category = category, at = all[name].at,
        inherits = inherits_mask(name, all) }
    end
  end
  return bodies
end

local function warn_of_body(body, field, ...)
  native.log("warn", string.format("%s:%d: ", body.at.file, find_line(body.at, { body.name, "components",
    "body", field }))
    .. string.format(...))
end

-- Warns about the bodies whose category is in the mask of `a`, but whose mask lacks the category of `a`, and about a
-- mask of `a` that contains no category of `bodies`.
local function warn_of_mask(a, bodies)
  local is_named, one_sided, mutual = false, {}, {}
  for _, b in ipairs(bodies) do
    if bit.band(a.mask, b.category) ~= 0 then
      is_named = true
      if not b.mask or bit.band(b.mask, a.category) ~= 0 then
        mutual[b.category] = true
      else
        one_sided[#one_sided + 1] = b
      end
    end
  end
  for _, b in ipairs(one_sided) do
    if not mutual[b.category] and not b.inherits then
      warn_of_body(a, "mask", "%s never collides with %s, although the mask of %s contains the category of %s: add "
        .. "%s to the mask of %s", a.name, b.name, a.name, b.name, collision_layers.format(a.category), b.name)
    end
  end
  if not is_named then
    warn_of_body(a, "mask", "no assemblage has a category in the mask %s of %s, so it collides with no entity of "
      .. "an assemblage: correct the mask, or set body.category of the other assemblages",
      collision_layers.format(a.mask), a.name)
  end
end

-- Warns about categories and collision masks that have no effect. Two bodies collide only if the category of each is in
-- the other's mask, so a category of 0 never collides. A missing mask contains all categories. A mask of 0 contains no
-- category: it turns collisions off on purpose, so it causes no warning about its own body. A one-sided mask is
-- accepted if another body with the same category collides. A mistake that several assemblages inherit is reported only
-- for their base.
local function warn_of_all_masks(all)
  local bodies = list_declared_bodies(all)
  for _, a in ipairs(bodies) do
    if a.inherits then
      goto continue
    elseif a.category == 0 and a.mask ~= 0 then
      warn_of_body(a, "category", "%s never collides, because its category is 0: set the category to a layer, such "
        .. "as %s, or use mask = 0 to turn collisions off", a.name, collision_layers.format(1))
    elseif a.mask and a.mask ~= 0 then
      warn_of_mask(a, bodies)
    end
    ::continue::
  end
end

-- Warns about clips that an assemblage's own components and states name, but that its sprite's sheet lacks.
local function warn_of_clips(name, resolved)
  local source, declaration = resolved.at, files[name].declaration
  local function check(path, declared, template)
    local animation = type(declared) == "table" and declared.animation
    local clip = type(animation) == "table" and animation.clip
    local sprite, base = template.sprite and template.sprite[""], resolved.template.sprite
    local image = sprite and sprite.image or base and base[""] and base[""].image
    local problem = type(clip) == "string" and type(image) == "string" and native.clip_problem
      and native.clip_problem(image, clip)
    if problem then
      path[#path + 1], path[#path + 2] = "animation", "clip"
      native.log("warn", string.format("%s:%d: animation.clip: %s", source.file, find_line(source, path), problem))
    end
  end
  check({ name, "components" }, declaration.components, resolved.template)
  for _, state in ipairs(sorted_keys(resolved.states)) do
    check({ name, "states", state }, declaration.states and declaration.states[state], resolved.states[state])
  end
end

-- Collects the former names of all assemblages. Raises an error if an assemblage still has such a name, or if two
-- assemblages claim it.
local function collect_former_names(all)
  M.former = {}
  for _, name in ipairs(sorted_keys(all)) do
    local addon = all[name].at.addon
    for _, old_short_name in ipairs(all[name].renamed_from) do
      local old_name = addon and addon.prefix .. old_short_name or old_short_name
      if all[old_name] then
        fail(all[name].at, { name, "renamed_from" }, "renamed_from of %s: the assemblage %s is still declared: remove "
          .. "the assemblage, or the rename", name, old_name)
      elseif M.former[old_name] then
        fail(all[name].at, { name, "renamed_from" }, "%s and %s are both renamed from %s: remove one of the renames",
          M.former[old_name], name, old_name)
      end
      M.former[old_name] = name
    end
  end
end

-- Returns the hint for an unknown name: ": renamed to panzer" for a former name, otherwise the nearest name.
---@param name any
---@param names? table<string, any> names to suggest; all assemblages by default
---@return string
function M.hint(name, names)
  return M.former[name] and ": renamed to " .. M.former[name] or report.hint(name, names or M.resolved)
end

---@param source table<string, engine.Source>
function M.resolve_all(source)
  for _, name in ipairs(sorted_keys(source)) do
    local entry = source[name]
    if type(name) ~= "string" or type(entry.declaration) ~= "table" then
      fail(entry.at, { report.show(name) }, "an assemblage must be a table with a name: tank = { components = { … } }")
    end
    resolve_assemblage(name, source, {}, entry.at, name)
  end
  files, resolved_files = source, copy(M.resolved)
  collect_former_names(resolved_files)
  for _, name in ipairs(sorted_keys(resolved_files)) do
    warn_of_missing_component(name, resolved_files[name])
    warn_of_clips(name, resolved_files[name])
  end
  warn_of_all_masks(resolved_files)
end

-- Returns the resolved assemblage with this name, or nil if the name is unknown. "tank/turret" names a child.
---@param name string
---@return engine.Assemblage?
function M.find(name)
  local current
  for part in name:gmatch("[^/]+") do
    if current then
      current = current.children[part]
    else
      current = M.resolved[part]
    end
    if not current then
      return nil
    end
  end
  return current
end

-- Returns the location of an assemblage's declaration; nil if no file declares it.
---@param name string
---@return string? location "file:line"
function M.get_location(name)
  local entry = files[name]
  return entry and string.format("%s:%d", entry.at.file, report.find_line(entry.at.text, name))
end

-- Re-resolves the assemblages in `affected` from `declarations`, and removes assemblages without a declaration. Keeps
-- assemblages outside `affected`. Calls `refuse` for each invalid declaration (world/definitions.lua). Replaces the
-- table M.resolved rather than modifying it, so that the caller can restore the previous one.
---@param declarations table<string, table> declarations, indexed by name
---@param affected table<string, any> set of the names of the affected assemblages
---@param refuse fun(name: string, problem: any)
function M.resolve_definitions(declarations, affected, refuse)
  local source = copy(files)
  for name, declaration in pairs(declarations) do
    source[name] = { declaration = declaration, at = DEFINED }
  end
  M.resolved = copy(M.resolved)
  for name in pairs(affected) do
    M.resolved[name] = nil
  end
  for _, name in ipairs(sorted_keys(affected)) do
    local ok, problem = true, nil
    if declarations[name] then
      ok, problem = pcall(resolve_assemblage, name, source, {}, DEFINED, name)
    end
    if not ok then
      refuse(name, problem)
    end
  end
end

local function declare_template(id, template_number, template)
  for _, name in ipairs(sorted_keys(template)) do
    local component = components.by_name[name]
    for _, instance in ipairs(sorted_keys(template[name])) do
      local instance_id = instance == "" and 0 or text.intern_pinned(instance)
      C.world_assemblage_add_component(W, id, template_number, component.id, instance_id)
      value.visit_values(component, template[name][instance], function(column, v)
        C.world_assemblage_set_field(W, id, template_number, component.id, instance_id, column, v)
      end)
    end
  end
end

-- Returns the id of an assemblage in C, or nil if it is not declared yet. A child that several assemblages inherit is
-- declared once.
local function find_declared_id(resolved, numbers, affected)
  if numbers[resolved] or not affected or affected[resolved.name:match("^[^/]+")] then
    return numbers[resolved]
  end
  return C.world_find_assemblage(W, text.find(resolved.name))
end

-- Declares an assemblage and its children in C, unless they are already declared. Returns the id of the assemblage.
-- `affected`: names of the definitions being declared; nil for the assemblages of files.
local function declare_assemblage(resolved, numbers, affected)
  local declared_id = find_declared_id(resolved, numbers, affected)
  if declared_id then
    return declared_id
  end
  local children = {}
  for _, child in ipairs(resolved.order) do
    local key = text.intern_pinned(child) -- interned first, because hashes depend on the order of interning
    children[#children + 1] = { key, declare_assemblage(resolved.children[child], numbers, affected) }
  end
  local id = C.world_assemblage_declare(W, text.intern_pinned(resolved.name))
  C.world_assemblage_set_doc(W, id, resolved.doc)
  declare_template(id, 0, resolved.template)
  if next(resolved.states) then
    local order = sorted_keys(resolved.states)
    table.sort(order, function(a, b)
      if (a == resolved.initial) ~= (b == resolved.initial) then
        return a == resolved.initial
      end
      return a < b
    end)
    for _, state in ipairs(order) do
      local template_number = C.world_assemblage_add_state(W, id, text.intern_pinned(state))
      declare_template(id, template_number, resolved.states[state])
      states.declare(resolved, state, id, template_number)
    end
  end
  for _, child in ipairs(children) do
    C.world_assemblage_add_child(W, id, child[1], child[2])
  end
  numbers[resolved] = id
  return id
end

-- Declares the former names of an assemblage, its children and its states.
local function declare_former_names(resolved, name, old_name)
  if old_name then
    C.world_declare_renamed_assemblage(W, old_name .. resolved.name:sub(#name + 1), resolved.name)
  end
  for _, state in ipairs(sorted_keys(resolved.renamed_states)) do
    for _, former in ipairs(not old_name and resolved.renamed_states[state] or {}) do
      C.world_declare_renamed_state(W, resolved.name, former, state)
    end
  end
  for _, key in ipairs(sorted_keys(resolved.children)) do
    local child = resolved.children[key]
    if child.name:sub(1, #name + 1) == name .. "/" then
      declare_former_names(child, name, old_name)
    end
  end
end

function M.declare_all()
  C.definitions_clear_assemblages(W)
  states.forget_all()
  file_assemblage_ids = {}
  for _, name in ipairs(sorted_keys(resolved_files)) do
    declare_assemblage(resolved_files[name], file_assemblage_ids)
    declare_former_names(resolved_files[name], name)
  end
  for _, old_name in ipairs(sorted_keys(M.former)) do
    declare_former_names(resolved_files[M.former[old_name]], M.former[old_name], old_name)
  end
  for _, resolved in pairs(resolved_files) do
    states.plan(resolved)
  end
end

local function retire_assemblage(resolved, name)
  if resolved and resolved.name:match("^[^/]+") == name then
    C.definitions_retire_assemblage(W, text.find(resolved.name))
    for _, child in ipairs(sorted_keys(resolved.children)) do
      retire_assemblage(resolved.children[child], name)
    end
  end
end

-- Retires the previous versions of the definitions in `affected`, and declares the new versions in C. Must be called
-- between definitions_begin_change and definitions_end_change. `previous`: the previous M.resolved.
---@param affected table<string, any> set of the names of the affected assemblages
---@param previous table<string, engine.Assemblage>
function M.declare_definitions(affected, previous)
  states.forget_assemblages(affected)
  for _, name in ipairs(sorted_keys(affected)) do
    retire_assemblage(previous[name], name)
  end
  local numbers = copy(file_assemblage_ids)
  for _, name in ipairs(sorted_keys(affected)) do
    if M.resolved[name] and not resolved_files[name] then
      declare_assemblage(M.resolved[name], numbers, affected)
      states.plan(M.resolved[name])
    end
  end
end

function late_binding.is_assemblage(name)
  return M.resolved[name] ~= nil
end

return M

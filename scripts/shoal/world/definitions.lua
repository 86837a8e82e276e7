-- world.define: assemblages created while the game runs. A definition is stored in the world as JSON
-- (content/definitions.h), so a restored state contains its definitions. assemblage.lua resolves them together with
-- the assemblages of the current files. After a restore, the definitions are declared before any script runs.
local need = ...
local abi = need("base/abi")
local json = need("base/json")
local log = need("base/log")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local text = need("base/string_table")
local full_names = need("schema/full_names")
local renames = need("schema/renames")
local components = need("schema/component")
local value = need("schema/value")
local assemblage = need("world/assemblage")
local entity = need("world/entity")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.define
local M = {}

local MAX_DEFINITIONS, MAX_BYTES = 256, 65536
-- The current definitions in C's format: for each, a line with the name and a line with the JSON.
local registered_list = ""
local json_by_name = {} -- name → definition as JSON
local active_declarations = {} -- name → declaration decoded from JSON, without parts that no longer fit the files
local ignored = {} -- name → true if the definition has no effect: it is invalid, or a file declares the name
local logged_messages = {} -- set of the messages that have been logged, so that rewinding does not repeat them

-- --- definitions that no longer fit the files

local function warn_once(line)
  if not logged_messages[line] then
    logged_messages[line] = true
    log.warn("%s", line)
  end
end

-- Moves a value from a field's former name to the current name, unless the current name already has a value. Returns
-- the name under which the value is now stored.
local function move_renamed_field(component, fields, name)
  local schema = component.schema
  local new_name = schema and value.find_renamed_field(schema, name)
  if new_name and fields[new_name] == nil then
    fields[new_name], fields[name] = fields[name], nil
    return new_name
  end
  return name
end

-- Renames fields with former names, and drops fields that no longer exist or whose values have become invalid.
local function repair_fields(name, component, instances)
  for _, instance in ipairs(sorted_keys(instances)) do
    local fields = instances[instance]
    for _, field in ipairs(sorted_keys(type(fields) == "table" and fields or {})) do
      field = move_renamed_field(component, fields, field)
      local ok, problem = pcall(value.check, component, { [field] = fields[field] })
      if not ok then
        fields[field] = nil
        warn_once(string.format("dropped %s.%s from %s (world.define): %s", component.name, report.show(field),
          name, report.get_message(problem)))
      end
    end
  end
end

local function repair_components(name, values)
  if type(values) == "table" then
    renames.convert(values)
  end
  for _, component_name in ipairs(sorted_keys(type(values) == "table" and values or {})) do
    local component = components.by_name[component_name]
    if not component and not components.metadata[component_name] then
      values[component_name] = nil
      warn_once(string.format("dropped %s from %s (world.define): unknown component%s", component_name, name,
        report.hint(component_name, components.by_name)))
    elseif component and type(values[component_name]) == "table" then
      local ok, instances = pcall(assemblage.split_instances, component, values[component_name])
      if ok then
        repair_fields(name, component, instances)
      end
    end
  end
end

-- Returns `is` with former assemblage names replaced with the current names.
local function repair_parents(is)
  if type(is) ~= "table" then
    return assemblage.former[is] or is
  end
  for i, parent in ipairs(is) do
    is[i] = assemblage.former[parent] or parent
  end
  return is
end

local function repair_declaration(name, declaration)
  declaration.is = repair_parents(declaration.is)
  repair_components(name, declaration.components)
  for state, values in pairs(type(declaration.states) == "table" and declaration.states or {}) do
    if state ~= "initial" then
      repair_components(name, values)
    end
  end
  local without = {}
  local excluded_names = type(declaration.without) == "table" and declaration.without or { declaration.without }
  for _, excluded in ipairs(renames.convert_list(excluded_names)) do
    without[#without + 1] = (components.by_name[excluded] or components.metadata[excluded]) and excluded or nil
  end
  declaration.without = without
  for child, child_declaration in pairs(type(declaration.children) == "table" and declaration.children or {}) do
    if type(child_declaration) == "table" then
      repair_declaration(name .. "/" .. report.show(child), child_declaration)
    end
  end
end

local function read_lines(list)
  local out = {}
  for name, line in list:gmatch("([^\n]+)\n([^\n]*)\n") do
    out[name] = line
  end
  return out
end

-- Decodes a stored definition. Returns nil if the string is not in the format that world.define writes, or if the
-- definition is part of an add-on that the game lacks. `repair`: drops the parts that no longer fit the files.
local function decode_declaration(name, repair)
  local ok, declaration = pcall(json.decode, json_by_name[name])
  local _, plain_name = scope.split_name(name)
  if not ok or type(declaration) ~= "table" or not plain_name:find("^[%a_][%w_]*$") then
    return nil
  end
  if repair then
    pcall(repair_declaration, name, declaration)
  end
  return declaration
end

local function unite_sets(a, b)
  local out = {}
  for _, list in ipairs { a, b } do
    for name in pairs(list) do
      out[name] = true
    end
  end
  return out
end

-- Resolves all definitions. Repairs an invalid definition by dropping the parts that no longer fit the files, and drops
-- the definition if it is still invalid.
local function resolve_all(affected)
  local names_to_repair, must_retry = {}
  active_declarations, ignored = {}, {}
  for name in pairs(json_by_name) do
    local location = assemblage.get_location(name)
    active_declarations[name] = not location and decode_declaration(name) or nil
    ignored[name] = not active_declarations[name] or nil
    if location then
      warn_once(string.format("%s: %s (from world.define) is now declared in a file, which takes precedence", location,
        name))
    end
  end
  repeat
    must_retry = false
    assemblage.resolve_definitions(active_declarations, affected, function(name, problem)
      must_retry = true
      if names_to_repair[name] then
        ignored[name] = true
        warn_once(string.format("dropped %s (world.define): %s", name, report.get_message(problem)))
      end
      names_to_repair[name] = true
      active_declarations[name] = not ignored[name] and decode_declaration(name, true) or nil
    end)
  until not must_retry
end

-- --- synchronization with the world

local function replace_all(list)
  local previous, definitions = assemblage.resolved, read_lines(list)
  local affected = unite_sets(json_by_name, definitions)
  for name in pairs(affected) do
    affected[name] = not assemblage.get_location(name) or nil
  end
  registered_list, json_by_name = list, definitions
  resolve_all(affected)
  C.definitions_begin_change(W, 0, 0)
  assemblage.declare_definitions(affected, previous)
  C.definitions_end_change(W, list)
end

local plain_names = {} ---@type { [1]: engine.Addon, [2]: string }[] names that declare_names has declared

-- Declares the plain names of the current definitions in their add-ons, and only these: VMs that have run different
-- ticks must resolve names in the same way.
local function declare_names()
  for _, entry in ipairs(plain_names) do
    entry[1].names.assemblage[entry[2]] = nil
  end
  plain_names = {}
  for name in pairs(json_by_name) do
    local addon, plain_name = scope.split_name(name)
    if addon and not assemblage.get_location(name) then
      scope.declare(addon, "assemblage", plain_name)
      plain_names[#plain_names + 1] = { addon, plain_name }
    end
  end
  scope.update(assemblage, "resolved", function() end)
end

-- Replaces the definitions of this VM with the definitions in `list`, from a restored state or from another VM.
---@param list string in the format of `registered_list`
function M.replace_all(list)
  scope.update(assemblage, "resolved", replace_all, list)
  declare_names()
end

-- Synchronizes this VM's definitions with the definitions stored in C, before scripts run. The definitions differ in a
-- new VM, after a restore, and after a system has failed, because C discards the system's definitions.
function M.refresh()
  local list = ffi.string(C.definitions_list(W))
  if list ~= registered_list then
    M.replace_all(list)
  end
end

-- Declares the definitions that a snapshot contains. Must be called before the snapshot is restored.
---@param snapshot ffi.cdata*
function M.expect(snapshot)
  local list = ffi.string(C.state_definitions_list(snapshot, W))
  if list ~= registered_list then
    M.replace_all(list)
  end
end

-- --- world.define

-- Returns the full name of a definition. Raises an error if the name is not valid.
local function check_name(name, addon)
  if type(name) ~= "string" then
    report.raise("world.define: the name must be a string, got %s: use world.define(\"crab\", { components = { … } })",
      report.describe(name))
  elseif #name > 60 or not name:find("^[%a_][%w_]*$") then
    report.raise("world.define: %q is not a valid name: use at most 60 letters, digits and _, not beginning "
      .. "with a digit", name)
  end
  name = addon and addon.prefix .. name or name
  local location = assemblage.get_location(name)
  if location then
    report.raise("world.define: %s is declared in %s, which takes precedence: define a different name "
      .. "with is = \"%s\"", name, location, name)
  end
  return name
end

local function encode_declaration(name, declaration)
  if type(declaration) ~= "table" then
    report.raise("world.define: %s must be a table like an assemblage in a file, got %s: use { components = { … } }",
      name, report.describe(declaration))
  end
  local ok, encoded = pcall(json.encode, declaration)
  if not ok then
    local problem = report.get_message(encoded):gsub("^json%.encode: t", name)
      :gsub("^json%.encode: a key of t", "a key of " .. name)
    report.raise("world.define: %s", (problem:gsub(": JSON supports only tables, numbers, strings and booleans$",
      ": a definition is saved with the world and can contain only tables, numbers, strings and booleans")))
  elseif #encoded > MAX_BYTES then
    report.raise("world.define: %s is too long: %d bytes as JSON (at most %d): move a part of it to an "
      .. "assemblage of a file, and inherit that part with `is`", name, #encoded, MAX_BYTES)
  end
  return encoded
end

-- Throws if a state of the definition or its children contains `keep`, whose storage can be declared only while files
-- are loaded.
local function check_has_no_keep(name, declaration)
  for state, parts in pairs(type(declaration.states) == "table" and declaration.states or {}) do
    for component_name, values in pairs(state ~= "initial" and type(parts) == "table" and parts or {}) do
      local component = components.by_name[component_name]
      local ok, instances = pcall(assemblage.split_instances, component or {}, values)
      for _, fields in pairs(component and ok and instances or {}) do
        if type(fields) == "table" and fields.keep ~= nil and not component.by_name.keep then
          report.raise("world.define: %s: keep = true is allowed only in an assemblage of a file: declare it "
            .. "there, and inherit it with `is`", name)
        end
      end
    end
  end
  for child, child_declaration in pairs(type(declaration.children) == "table" and declaration.children or {}) do
    if type(child_declaration) == "table" then
      check_has_no_keep(name .. "/" .. report.show(child), child_declaration)
    end
  end
end

local function collect_used_names(declaration, out)
  for _, parent in ipairs(type(declaration.is) == "table" and declaration.is or { declaration.is }) do
    out[parent] = true
  end
  for _, child_declaration in pairs(type(declaration.children) == "table" and declaration.children or {}) do
    if type(child_declaration) == "table" then
      collect_used_names(child_declaration, out)
    end
  end
  return out
end

-- Returns the names of this definition and of all definitions that depend on it directly or indirectly, as a set.
local function find_affected(name, declarations)
  local affected, has_grown = { [name] = true }, true
  while has_grown do
    has_grown = false
    for other_name, declaration in pairs(declarations) do
      for used_name in pairs(affected[other_name] and {} or collect_used_names(declaration, {})) do
        has_grown = has_grown or affected[used_name]
        affected[other_name] = affected[other_name] or affected[used_name]
      end
    end
  end
  return affected
end

local function resolve_with(name, line)
  local declarations = {}
  for other_name in pairs(json_by_name) do
    declarations[other_name] = active_declarations[other_name]
      or not assemblage.get_location(other_name) and decode_declaration(other_name, true) or nil
  end
  declarations[name] = json.decode(line)
  check_has_no_keep(name, declarations[name])
  local affected, failed = find_affected(name, declarations), {}
  assemblage.resolve_definitions(declarations, affected, function(other_name, problem)
    if not ignored[other_name] or other_name == name then
      report.raise("world.define: %s%s", other_name ~= name and other_name .. ", which builds on " .. name .. ": "
        or "",
        report.get_message(problem))
    end
    failed[other_name] = true
  end)
  for other_name in pairs(affected) do
    active_declarations[other_name], ignored[other_name] = not failed[other_name] and declarations[other_name]
      or nil, failed[other_name]
  end
  return affected
end

local function resolve_and_declare(name, line)
  local previous = assemblage.resolved
  local affected = resolve_with(name, line)
  C.definitions_begin_change(W, text.intern(name), text.intern(line))
  assemblage.declare_definitions(affected, previous)
  registered_list = ffi.string(C.definitions_list(W))
  json_by_name[name] = line
  C.definitions_end_change(W, registered_list)
end

-- Defines or redefines an assemblage for later spawns. Living entities of a redefined assemblage are updated when the
-- calling system ends, or immediately outside systems.
---@param name any
---@param declaration any
function M.define(name, declaration)
  entity.changing("world.define")
  local addon = scope.current
  name = check_name(name, addon)
  local line, count = encode_declaration(name, declaration), 1
  if addon then
    local full_declaration = json.decode(line)
    full_names.assemblage(full_declaration, addon)
    line = encode_declaration(name, full_declaration)
  end
  for other_name in pairs(json_by_name) do
    count = count + (other_name ~= name and 1 or 0)
  end
  if count > MAX_DEFINITIONS then
    report.raise("world.define: too many definitions (at most %d): redefine one of them, or pass different values "
      .. "to world.spawn", MAX_DEFINITIONS)
  elseif json_by_name[name] == line then
    return
  end
  scope.update(assemblage, "resolved", resolve_and_declare, name, line)
  declare_names()
end

text.add_change_listener(M.refresh)

return M

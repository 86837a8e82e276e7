-- Components that were renamed, split or merged: `renamed_from` in current declarations, for data of earlier versions
-- (migrate/schema_migrate.h). renamed_from = "drive" takes over a component with all its fields, and
-- renamed_from = { vx = "drive.vx" } takes over one field. Components and fields that were renamed several times list
-- all old names. A component that still exists can lose fields to other components: each entity that has it then also
-- gets those components. Old names in declarations cause one error, which lists all of them, when the game is loaded;
-- old names in function bodies cause warnings.
local need = ...
local abi = need("base/abi")
local late_binding = need("base/late_binding")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local components = need("schema/component")
local value = need("schema/value")
local C, W = abi.C, abi.world

---@class engine.RenamePart
---@field component engine.Component the current component
---@field is_whole boolean the component takes over all fields of the old component
---@field fields { new: string, old: string }[] names of the fields that the component takes over

---@class engine.Rename
---@field name string old name of the component
---@field parts engine.RenamePart[]
---@field by_old table<string, engine.RenamePart> parts by old field name

---@class engine.renames
---@field by_name table<string, engine.Rename> by name of a component that is no longer declared
---@field splits table<string, engine.Rename> by name of a declared component that has lost fields to other components
---@field removed string[] names of the components that the game removes: gold = false
local M = { by_name = {}, splits = {}, removed = {} }
local recorded_uses = {} ---@type { file: string, line: integer, kind: string, message: string }[]

local function fail(schema, message, ...)
  report.fail { message = string.format(message, ...), file = schema.at.file,
    line = report.find_line(schema.at.text, schema.name, "renamed_from"), piece = "component " .. schema.name }
end

-- Returns true if the component has a field, vector, list or record of this path.
local function has_field(component, path)
  for _, item in ipairs(component.writable) do
    local member = item.base or item.field.name
    if member == path or member:sub(1, #path + 1) == path .. "." then
      return true
    end
  end
  return false
end

-- Checks a `renamed_from` whose source component `name` is still declared: only single fields can be moved from it.
local function check_split(schema, name, is_whole, fields)
  local source, target = components.by_name[name], components.by_name[schema.name]
  if is_whole or not source then
    fail(schema, "renamed_from of %s: the component %s is still declared: remove the component, or the rename",
      schema.name, name)
  elseif source.kind ~= target.kind then
    fail(schema, "renamed_from of %s: cannot move fields of %s, which is of kind %s, to the kind %s: declare both as "
      .. "the same kind", schema.name, name, source.kind, target.kind)
  end
  for _, new_name in ipairs(sorted_keys(fields)) do
    for _, old_name in ipairs(fields[new_name]) do
      if has_field(source, old_name) then
        fail(schema, "renamed_from of %s.%s: the field %s.%s is still declared: remove the field, or the rename",
          schema.name, new_name, name, old_name)
      end
    end
  end
end

local function add_part(schema, name, is_whole, fields)
  local remaining_component = components.by_name[name] or components.metadata[name]
  local renames = remaining_component and M.splits or M.by_name
  if remaining_component then
    check_split(schema, name, is_whole, fields)
  end
  local rename = renames[name] or { name = name, parts = {}, by_old = {} }
  for _, owner in ipairs(is_whole and rename.parts or {}) do
    if owner.is_whole then
      fail(schema, "%s and %s are both renamed from %s: name their fields, renamed_from = { new = %q }",
        owner.component.name, schema.name, name, name .. ".old")
    end
  end
  local part = { component = components.by_name[schema.name], is_whole = is_whole, fields = {} }
  for _, new_name in ipairs(sorted_keys(fields)) do
    for _, old_name in ipairs(fields[new_name]) do
      local owner = rename.by_old[old_name]
      if owner then
        fail(schema, "renamed_from: %s and %s are both renamed from %s.%s: remove one of the renames",
          owner.component.name, schema.name, name, old_name)
      end
      rename.by_old[old_name] = part
      part.fields[#part.fields + 1] = { new = new_name, old = old_name }
    end
  end
  rename.parts[#rename.parts + 1] = part
  renames[name] = rename
end

-- Returns the new names of a renamed component or its fields: "drive.vx is now place.vx, drive.turn is now
-- whirl.rate".
local function describe_rename(rename)
  local out = {}
  for _, part in ipairs(rename.parts) do
    if part.is_whole then
      out[#out + 1] = string.format("%s is now %s", rename.name, part.component.name)
    end
    for _, field in ipairs(part.fields) do
      if not part.is_whole or field.new ~= field.old then
        out[#out + 1] = string.format("%s.%s is now %s.%s", rename.name, field.old, part.component.name, field.new)
      end
    end
  end
  return table.concat(out, ", ")
end

-- Registers the renames of all schemas. Called when all components have been added.
---@param schemas engine.Schema[]
function M.add_all(schemas)
  for _, schema in ipairs(schemas) do
    local component = components.by_name[schema.name]
    local moved_fields, old_names = component and schema.moved or {}, component and component.schema == schema
      and schema.was
      or {}
    local is_whole = {}
    for _, name in ipairs(old_names) do
      local fields = {}
      for _, item in ipairs(component.writable) do
        local new_name = item.base or item.field.name
        fields[new_name] = { unpack(moved_fields[name] and moved_fields[name][new_name]
          or schema.renamed_from[new_name] or {}) }
        -- A rename of the component may have kept the field's name, or may have followed renames of the field.
        fields[new_name][#fields[new_name] + 1] = new_name
      end
      add_part(schema, name, true, fields)
      is_whole[name] = true
    end
    for _, name in ipairs(sorted_keys(moved_fields)) do
      if not is_whole[name] then
        add_part(schema, name, false, moved_fields[name])
      end
    end
  end
  for name, rename in pairs(M.by_name) do
    components.renamed[name] = describe_rename(rename)
    local addon, plain_name = scope.split_name(name)
    -- Declares the plain name, so that errors about it mention the new name.
    if addon and not components.by_name[plain_name] then
      scope.declare(addon, "component", plain_name)
    end
  end
end

local function declare(rename)
  for _, part in ipairs(rename.parts) do
    C.world_declare_renamed_field(W, rename.name, part.component.id, 0xffffffff, "")
    for _, field in ipairs(part.fields) do
      local list = part.component.lists[field.new]
      local columns = list and { list.count, unpack(list.values) } or part.component.vectors[field.new]
      for _, column in ipairs(columns or { part.component.by_name[field.new] }) do
        local old_name = field.old .. column.name:sub(#field.new + 1)
        C.world_declare_renamed_field(W, rename.name, part.component.id, column.column, old_name)
      end
    end
  end
end

-- Registers all renames in the world, in place of the previous renames.
function M.declare_all()
  C.world_clear_renames(W)
  C.former_names_clear(W)
  for _, renames in ipairs { M.by_name, M.splits } do
    for _, name in ipairs(sorted_keys(renames)) do
      declare(renames[name])
    end
  end
  for _, name in ipairs(M.removed) do
    C.world_declare_removed_component(W, name)
  end
end

-- --- old names in the files of the game

-- Returns true if `name` is an old name of a component. Adds its use in a declaration to the list of errors that
-- M.raise_recorded_uses reports.
---@param name any
---@param file string
---@param line integer
---@return boolean
function M.record_component_use(name, file, line)
  if not M.by_name[name] then
    return false
  end
  recorded_uses[#recorded_uses + 1] = { file = file, line = line, kind = "component",
    message = components.renamed[name] }
  return true
end

-- Returns true if any component or field has an old name.
---@return boolean
function M.has_any()
  for _, component in pairs(components.by_name) do
    if component.schema and next(component.schema.renamed_from or {}) then
      return true
    end
  end
  return next(M.by_name) ~= nil or next(M.splits) ~= nil
end

-- Returns true if any field of the component has an old name.
---@param component engine.Component
---@return boolean
function M.has_old_fields(component)
  return M.splits[component.name] ~= nil or component.schema ~= nil and next(component.schema.renamed_from or {}) ~= nil
end

-- Returns the new name of a component's field, "poise.stability is now poise.balance", or nil unless `name` is an old
-- name of a field and no longer a current one.
---@param component engine.Component?
---@param name any
---@return string?
function M.describe_field_rename(component, name)
  local split = component and M.splits[component.name]
  local new_name = component and component.schema and value.find_renamed_field(component.schema, name)
  if split and split.by_old[name] then
    for _, field in ipairs(split.by_old[name].fields) do
      if field.old == name then
        return string.format("%s.%s is now %s.%s", component.name, name, split.by_old[name].component.name, field.new)
      end
    end
  elseif new_name and not component.by_name[name] and not component.vectors[name] and not component.lists[name] then
    return string.format("%s.%s is now %s.%s", component.name, name, component.name, new_name)
  end
end

function late_binding.renamed_field(name, field)
  return M.describe_field_rename(components.by_name[name], field)
end

-- Like M.record_component_use, for a field name of `component`.
---@param component engine.Component?
---@param name any
---@param file string
---@param line integer
---@return boolean
function M.record_field_use(component, name, file, line)
  local message = M.describe_field_rename(component, name)
  if message then
    recorded_uses[#recorded_uses + 1] = { file = file, line = line, kind = "field", message = message }
  end
  return message ~= nil
end

-- Raises one error that lists the uses of old names found since the last call. Without such uses, does nothing.
function M.raise_recorded_uses()
  local lines, first_use, seen = {}, recorded_uses[1], {}
  for _, use in ipairs(recorded_uses) do
    local line = string.format("%s:%d: %s", use.file, use.line, use.message)
    if not seen[line] then
      seen[line] = true
      lines[#lines + 1] = line
    end
  end
  recorded_uses = {}
  if #lines == 1 then
    report.fail { message = string.format("former name of a %s: %s", first_use.kind, first_use.message),
      file = first_use.file,
      line = first_use.line, piece = first_use.file }
  elseif first_use then
    report.fail { message = string.format("%d declarations use former names of components or fields:\n  %s", #lines,
      table.concat(lines, "\n  ")), file = first_use.file, line = first_use.line, piece = first_use.file }
  end
end

-- --- data of earlier versions

-- Moves the values of the part's fields from `values`, the values of one row, to `target`. Returns true if any value
-- was moved.
local function move_row(part, values, target)
  local has_moved = false
  for _, field in ipairs(part.fields) do
    if values[field.old] ~= nil then
      target[field.new], values[field.old] = values[field.old], nil
      has_moved = true
    end
  end
  return has_moved
end

-- Like move_row, for all values of a component, which may include named instances.
local function move_values(part, values, target)
  local has_moved = move_row(part, values, target)
  for _, instance in ipairs(part.component.kind == "many" and sorted_keys(values) or {}) do
    local row = type(target[instance]) == "table" and target[instance] or {}
    if type(values[instance]) == "table" and move_row(part, values[instance], row) then
      target[instance], has_moved = row, true
    end
  end
  return has_moved
end

-- Converts the component and field names in a definition of world.define, in place, to current names.
---@param definition table<string, any>
function M.convert(definition)
  for _, name in ipairs(sorted_keys(definition)) do
    local values, rename = definition[name], M.by_name[name] or M.splits[name]
    for _, part in ipairs(rename and rename.parts or {}) do
      local target_name = part.component.name
      local target_values = type(definition[target_name]) == "table" and definition[target_name] or {}
      if type(values) ~= "table" or part.is_whole and part.component.kind ~= "component" then
        definition[target_name] = M.by_name[name] and values or definition[target_name]
      elseif move_values(part, values, target_values) or M.by_name[name] then
        definition[target_name] = target_values
      end
    end
    if M.by_name[name] then
      definition[name] = nil
    end
  end
end

-- Returns a list of component names in which old names are replaced by the current ones.
---@param names any[] names of components
---@return any[]
function M.convert_list(names)
  local out = {}
  for _, name in ipairs(names) do
    local rename = M.by_name[name]
    for _, part in ipairs(rename and rename.parts or {}) do
      out[#out + 1] = part.component.name
    end
    out[#out + 1] = not rename and name or nil
  end
  return out
end

return M

-- Components that were renamed, split or merged: `renamed_from` in current declarations, for data of earlier versions
-- (migrate/schema_migrate.h). renamed_from = "drive" takes over a component with all its fields, renamed_from =
-- { vx = "drive.vx" } takes over one field. Components and fields that were renamed several times list all old names.
-- A component that remains can lose fields to others: each entity that has it then gets the others, too.
-- Old names in declarations cause one error, which lists all of them, when the game is loaded; old names in function
-- bodies cause warnings.
local need = ...
local abi = need("base/abi")
local late_binding = need("base/late_binding")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local component = need("schema/component")
local value = need("schema/value")
local C, W = abi.C, abi.world

---@class engine.RenamePart
---@field known engine.Component the current component
---@field whole boolean it takes over all fields of the old component
---@field fields { new: string, old: string }[] names of the fields that it takes over

---@class engine.Rename
---@field name string old name of the component
---@field parts engine.RenamePart[]
---@field by_old table<string, engine.RenamePart> by old name of a field

---@class engine.renames
---@field by_name table<string, engine.Rename> by name of a component that is no longer declared
---@field splits table<string, engine.Rename> by name of a declared component that has lost fields to others
local M = { by_name = {}, splits = {} }
local uses = {} ---@type { file: string, line: integer, kind: string, words: string }[]

local function fail(schema, message, ...)
  report.fail { message = string.format(message, ...), file = schema.at.file,
    line = report.line_of(schema.at.text, schema.name, "renamed_from"), piece = "component " .. schema.name }
end

-- Returns true if the component has the field, which may be a vector, a list or a record.
local function has_field(known, name)
  for _, item in ipairs(known.writable) do
    local field = item.base or item.field.name
    if field == name or field:sub(1, #name + 1) == name .. "." then
      return true
    end
  end
  return false
end

-- Checks that the fields can be moved from `name`, a component that is still declared.
local function check_split(schema, name, whole, fields)
  local from, to = component.by_name[name], component.by_name[schema.name]
  if whole or not from then
    fail(schema, "renamed_from of %s: the component %s is still declared: remove the component, or the rename",
      schema.name, name)
  elseif from.kind ~= to.kind then
    fail(schema, "renamed_from of %s: cannot move fields of %s, which is of kind %s, to the kind %s: declare both as "
      .. "the same kind", schema.name, name, from.kind, to.kind)
  end
  for _, new in ipairs(sorted_keys(fields)) do
    for _, old in ipairs(fields[new]) do
      if has_field(from, old) then
        fail(schema, "renamed_from of %s.%s: the field %s.%s is still declared: remove the field, or the rename",
          schema.name, new, name, old)
      end
    end
  end
end

local function add_part(schema, name, whole, fields)
  local remains = component.by_name[name] or component.metadata[name]
  local renamed = remains and M.splits or M.by_name
  if remains then
    check_split(schema, name, whole, fields)
  end
  local rename = renamed[name] or { name = name, parts = {}, by_old = {} }
  for _, other in ipairs(whole and rename.parts or {}) do
    if other.whole then
      fail(schema, "%s and %s are both renamed from %s: name their fields, renamed_from = { new = %q }",
        other.known.name, schema.name, name, name .. ".old")
    end
  end
  local part = { known = component.by_name[schema.name], whole = whole, fields = {} }
  for _, new in ipairs(sorted_keys(fields)) do
    for _, old in ipairs(fields[new]) do
      local other = rename.by_old[old]
      if other then
        fail(schema, "renamed_from: %s and %s are both renamed from %s.%s: remove one of the renames",
          other.known.name, schema.name, name, old)
      end
      rename.by_old[old] = part
      part.fields[#part.fields + 1] = { new = new, old = old }
    end
  end
  rename.parts[#rename.parts + 1] = part
  renamed[name] = rename
end

-- Returns the new names of a renamed component or of its fields: "drive.vx is now place.vx, drive.turn is now
-- whirl.rate".
local function describe_rename(rename)
  local out = {}
  for _, part in ipairs(rename.parts) do
    if part.whole then
      out[#out + 1] = string.format("%s is now %s", rename.name, part.known.name)
    end
    for _, field in ipairs(part.fields) do
      if not part.whole or field.new ~= field.old then
        out[#out + 1] = string.format("%s.%s is now %s.%s", rename.name, field.old, part.known.name, field.new)
      end
    end
  end
  return table.concat(out, ", ")
end

-- Registers the renames of all schemas. Called when all components are known.
---@param schemas engine.Schema[]
function M.add_all(schemas)
  for _, schema in ipairs(schemas) do
    local known = component.by_name[schema.name]
    local moved, was = known and schema.moved or {}, known and known.schema == schema and schema.was or {}
    local is_whole = {}
    for _, name in ipairs(was) do
      local fields = {}
      for _, item in ipairs(known.writable) do
        local new = item.base or item.field.name
        fields[new] = { unpack(moved[name] and moved[name][new] or schema.renamed_from[new] or {}) }
        fields[new][#fields[new] + 1] = new -- the field may have been renamed before the component
      end
      add_part(schema, name, true, fields)
      is_whole[name] = true
    end
    for _, name in ipairs(sorted_keys(moved)) do
      if not is_whole[name] then
        add_part(schema, name, false, moved[name])
      end
    end
  end
  for name, rename in pairs(M.by_name) do
    component.renamed[name] = describe_rename(rename)
    local addon, plain = scope.split_name(name)
    if addon and not component.by_name[plain] then -- errors about the plain name then state the new one
      scope.declare(addon, "component", plain)
    end
  end
end

local function declare(rename)
  for _, part in ipairs(rename.parts) do
    C.world_declare_renamed_field(W, rename.name, part.known.id, 0xffffffff, "")
    for _, field in ipairs(part.fields) do
      local list = part.known.lists[field.new]
      local columns = list and { list.count, unpack(list.values) } or part.known.vectors[field.new]
      for _, column in ipairs(columns or { part.known.by_name[field.new] }) do
        local old = field.old .. column.name:sub(#field.new + 1)
        C.world_declare_renamed_field(W, rename.name, part.known.id, column.column, old)
      end
    end
  end
end

-- Registers all renames in the world, in place of the previous ones.
function M.declare_all()
  C.world_clear_renames(W)
  for _, renamed in ipairs { M.by_name, M.splits } do
    for _, name in ipairs(sorted_keys(renamed)) do
      declare(renamed[name])
    end
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
  uses[#uses + 1] = { file = file, line = line, kind = "component", words = component.renamed[name] }
  return true
end

-- Returns true if any component or field has an old name.
---@return boolean
function M.has_any()
  for _, known in pairs(component.by_name) do
    if known.schema and next(known.schema.renamed_from or {}) then
      return true
    end
  end
  return next(M.by_name) ~= nil or next(M.splits) ~= nil
end

-- Returns true if any field of the component has an old name.
---@param known engine.Component
---@return boolean
function M.has_old_fields(known)
  return M.splits[known.name] ~= nil or known.schema ~= nil and next(known.schema.renamed_from or {}) ~= nil
end

-- Returns the new name of a component's field, "poise.stability is now poise.balance", or nil unless `name` is an old
-- name of a field and no longer a current one.
---@param known engine.Component?
---@param name any
---@return string?
function M.describe_field_rename(known, name)
  local split = known and M.splits[known.name]
  local new = known and known.schema and value.find_renamed_field(known.schema, name)
  if split and split.by_old[name] then
    for _, field in ipairs(split.by_old[name].fields) do
      if field.old == name then
        return string.format("%s.%s is now %s.%s", known.name, name, split.by_old[name].known.name, field.new)
      end
    end
  elseif new and not known.by_name[name] and not known.vectors[name] and not known.lists[name] then
    return string.format("%s.%s is now %s.%s", known.name, name, known.name, new)
  end
end

function late_binding.renamed_field(name, field)
  return M.describe_field_rename(component.by_name[name], field)
end

-- Like M.record_component_use, for the name of a field of `known`.
---@param known engine.Component?
---@param name any
---@param file string
---@param line integer
---@return boolean
function M.record_field_use(known, name, file, line)
  local words = M.describe_field_rename(known, name)
  if words then
    uses[#uses + 1] = { file = file, line = line, kind = "field", words = words }
  end
  return words ~= nil
end

-- Raises one error that lists the uses of old names found since the last call. Without such uses, does nothing.
function M.raise_recorded_uses()
  local lines, first, seen = {}, uses[1], {}
  for _, use in ipairs(uses) do
    local line = string.format("%s:%d: %s", use.file, use.line, use.words)
    if not seen[line] then
      seen[line] = true
      lines[#lines + 1] = line
    end
  end
  uses = {}
  if #lines == 1 then
    report.fail { message = string.format("former name of a %s: %s", first.kind, first.words), file = first.file,
      line = first.line, piece = first.file }
  elseif first then
    report.fail { message = string.format("%d declarations use former names of components or fields:\n  %s", #lines,
      table.concat(lines, "\n  ")), file = first.file, line = first.line, piece = first.file }
  end
end

-- --- data of earlier versions

-- Moves the values of the part's fields from `values`, those of one row, to `into`. Returns true if there were any.
local function move_row(part, values, into)
  local moved = false
  for _, field in ipairs(part.fields) do
    if values[field.old] ~= nil then
      into[field.new], values[field.old] = values[field.old], nil
      moved = true
    end
  end
  return moved
end

-- Like move_row, for all values of a component, which may contain those of named instances.
local function move_values(part, values, into)
  local moved = move_row(part, values, into)
  for _, instance in ipairs(part.known.kind == "many" and sorted_keys(values) or {}) do
    local row = type(into[instance]) == "table" and into[instance] or {}
    if type(values[instance]) == "table" and move_row(part, values[instance], row) then
      into[instance], moved = row, true
    end
  end
  return moved
end

-- Converts the names of components and fields in a definition of world.define, in place, to current names.
---@param components table<string, any>
function M.convert(components)
  for _, name in ipairs(sorted_keys(components)) do
    local values, rename = components[name], M.by_name[name] or M.splits[name]
    for _, part in ipairs(rename and rename.parts or {}) do
      local target = part.known.name
      local into = type(components[target]) == "table" and components[target] or {}
      if type(values) ~= "table" or part.whole and part.known.kind ~= "component" then
        components[target] = M.by_name[name] and values or components[target]
      elseif move_values(part, values, into) or M.by_name[name] then
        components[target] = into
      end
    end
    if M.by_name[name] then
      components[name] = nil
    end
  end
end

-- Returns a list of component names in which old names are replaced by the current ones.
---@param names any[] of components
---@return any[]
function M.convert_list(names)
  local out = {}
  for _, name in ipairs(names) do
    local rename = M.by_name[name]
    for _, part in ipairs(rename and rename.parts or {}) do
      out[#out + 1] = part.known.name
    end
    out[#out + 1] = not rename and name or nil
  end
  return out
end

return M

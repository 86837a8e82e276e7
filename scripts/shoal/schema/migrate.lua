-- `migrate = function(old, new, q)` of a component's declaration: converts the rows of an older declaration
-- (migrate/schema_migrate.h). old.<field>[i] is the old value of row i, q.entity[i] is its entity, and
-- new.<field>[i] is its new value, which has already been set if the old value could be converted. Old rows that were
-- merged into one share the same new.<field>[i].
local need = ...
local abi = need("base/abi")
local protected_call = need("base/protected_call")
local phases = need("base/phases")
local report = need("base/report")
local text = need("base/string_table")
local column = need("schema/column")
local components = need("schema/component")
local schema = need("schema/schema")
local ffi, C = abi.ffi, abi.C

---@class engine.migrate
local M = {}

local function create_view(fields, label, create)
  local outer = column.create_strict_table(label, "field")
  column.add_proxies(outer, fields, label, function(field)
    return not field.derived and create(field) or nil
  end)
  return outer
end

-- Creates a column. Adds its view to `views`: M.run sets the row counts of these views to 0 when the migration function
-- has returned, so that a column that the function has kept can no longer be used.
local function create_column(views, data, rows, count, field, label, read_only)
  local view = ffi.new("column_view_t", data, rows, count, 0)
  views[#views + 1] = view
  return column.create_proxy(ffi.cast("column_view_t *", view), field, label, rows ~= nil and "mapped" or "direct",
    read_only, view)
end

local function create_old_view(m, views, count)
  return create_view(schema.list_fields(C.migration_schema(m)), "old", function(field)
    return create_column(views, C.migration_data(m, field.column), nil, count, field, "old." .. field.name, true)
  end)
end

local function create_new_view(m, component, manager, views, count)
  return create_view(component.fields, "new", function(field)
    return create_column(views, manager.data[field.column], C.migration_rows(m), count, field, "new." .. field.name,
      false)
  end)
end

-- Returns the component of a manager. The rows of "kept:gun", which are retained for a state
-- (content/retained_values.h), are migrated like the rows of gun.
local function find_component(manager)
  local name = ffi.string(C.view_schema(manager, nil).name):gsub("^kept:", "")
  return components.by_name[name]
end

-- Runs the migration function of a component for the rows that C has prepared. An error of the function propagates.
---@param address integer address of a migration_t
function M.run(address)
  text.refresh()
  local m = abi.pointer("const migration_t *", address)
  local manager, count, views = C.world_manager(abi.world, C.migration_manager(m)), C.migration_count(m), {}
  local component = find_component(manager)
  local q, inner = column.create_strict_tables(function(name)
    report.raise("q has no %s; available: count, entity", report.show(name))
  end, function(name)
    report.raise("q.%s cannot be assigned: q is read-only", report.show(name))
  end)
  inner.count = count
  inner.entity = create_column(views, manager.owner, C.migration_rows(m), count, { name = "entity", type = "entity" },
    "entity", true)
  local phase, description = phases.enter("migrate")
  local ok, problem = protected_call.call(component.schema.migrate, create_old_view(m, views, count),
    create_new_view(m, component, manager, views, count), q)
  phases.enter(phase, description)
  for _, view in ipairs(views) do
    view.count = 0
  end
  inner.count = 0
  if not ok then
    error(problem, 0)
  end
end

return M

-- Methods that change all entities of a query: q:destroy_all(), q:add(name, values), q:remove(name). Each method makes
-- one call into C, which in a system queues one command for the entities that match at that time. pair_query.lua
-- implements these methods for queries over pairs.
local need = ...
local abi = need("base/abi")
local phases = need("base/phases")
local report = need("base/report")
local components = need("schema/component")
local value = need("schema/value")
local entity = need("world/entity")
local query = need("world/query")
local ffi, C, W = abi.ffi, abi.C, abi.world

local MAX_FIELDS = 64 -- must equal SCHEMA_MAX_FIELDS in schema/schema.h
local columns, numbers = ffi.new("uint32_t[?]", MAX_FIELDS), ffi.new("double[?]", MAX_FIELDS)

local function require_component(name, method)
  local component = components.find(name, method)
  if component.kind == "single" then
    report.raise("%s: %s is a singleton, which belongs to no entity: use world.single.%s", method, name, name)
  end
  return component
end

local methods = query.methods

-- Destroys all matching entities. Returns the number of destroyed entities.
function methods.destroy_all(record)
  entity.changing("q:destroy_all")
  return (C.world_query_destroy_entities(W, record.query))
end

-- Adds a component to all matching entities. In an entity that already has the component, sets only the given fields.
function methods.add(record, name, values)
  entity.changing("q:add")
  local component, count = require_component(name, "q:add"), 0
  if values ~= nil then
    value.visit_values(component, value.check(component, values), function(column, number)
      columns[count], numbers[count] = column, number
      count = count + 1
    end)
  end
  if not C.world_query_add_component(W, record.query, component.id, columns, numbers, count, abi.error) then
    report.raise("q:add: %s", abi.get_error_text())
  end
end

function methods.remove(record, name)
  entity.changing("q:remove")
  if not C.world_query_remove_component(W, record.query, require_component(name, "q:remove").id, abi.error) then
    report.raise("q:remove: %s", abi.get_error_text())
  end
end

phases.require_rows("q:", methods)

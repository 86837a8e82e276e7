-- Aliases: components that are others now. drive = t.alias { motion = { "vx", "vy" }, spin = { turn = "rate" } } in
-- components.lua says that what was `drive` is `motion` and `spin`: rows of worlds and saves of that time come over
-- (engine/migrate/schema_migrate.h), and assemblages, spawns, e:add, e.drive and queries that name it still mean
-- something. Said once for each name, since it is for moving and not for staying. Kernels and parallel systems name the
-- new components.
local need = ...
local abi = need("base/abi")
local log = need("base/log")
local report = need("base/report")
local sorted = need("base/sorted")
local component = need("schema/component")
local value = need("schema/value")
local C, W = abi.C, abi.world

---@class engine.AliasPart
---@field known engine.Component
---@field fields { new: string, old: string }[]

---@class engine.Alias
---@field name string
---@field parts engine.AliasPart[]
---@field by_old table<string, { known: engine.Component, new: string }>

---@class engine.alias
---@field by_name table<string, engine.Alias>
local M = { by_name = {} }
local carried = {} ---@type table<string, engine.Alias> all of them, and names that data alone has
local said = {}

local function fail(at, name, words, ...)
  report.fail { message = string.format(words, ...), file = at.file, line = report.line_of(at.text, name),
    piece = "component " .. name }
end

local function read_part(name, target, fields, at)
  local known = component.by_name[target]
  if not known then
    fail(at, name, "the alias %s names a component %s that does not exist%s", name, report.plain(target),
      report.hint(target, component.by_name))
  elseif known.kind ~= "component" and known.schema.was ~= name then
    fail(at, name, "the alias %s: %s is %s, and an alias stands for ordinary components", name, target, known.kind)
  elseif type(fields) ~= "table" then
    fail(at, name, "the alias %s: %s takes a list of the fields that it got, { \"vx\", turn = \"rate\" }", name, target)
  end
  local part = { known = known, fields = {} }
  for _, key in ipairs(sorted(fields)) do
    local old = fields[key]
    local new = type(key) == "number" and old or key
    if type(old) ~= "string" or not (known.by_name[new] or known.vectors[new]) then
      fail(at, name, "the alias %s: %s has no field %s%s", name, target, report.plain(new),
        report.hint(new, known.by_name))
    end
    part.fields[#part.fields + 1] = { new = new, old = old }
  end
  return part
end

-- After all components are known.
---@param name string
---@param targets table<string, table>
---@param at engine.At
function M.add(name, targets, at)
  if component.by_name[name] then
    fail(at, name, "there is a component %s: an alias is the name of one that is no more", name)
  elseif next(targets) == nil then
    fail(at, name, "the alias %s names no component", name)
  end
  local alias = { name = name, parts = {}, by_old = {} }
  for _, target in ipairs(sorted(targets)) do
    local part = read_part(name, target, targets[target], at)
    alias.parts[#alias.parts + 1] = part
    for _, field in ipairs(part.fields) do
      if alias.by_old[field.old] then
        fail(at, name, "the alias %s gives %s to two components", name, field.old)
      end
      alias.by_old[field.old] = { known = part.known, new = field.new }
    end
  end
  if carried[name] then
    fail(at, name, "two components say that they were %s: %s and %s", name, carried[name].parts[1].known.name,
      alias.parts[1].known.name)
  end
  carried[name] = alias
  if alias.parts[1].known.kind == "component" then
    M.by_name[name] = alias
  end
end

-- What renamed_from of a whole component says, as M.add takes it: an alias of it alone, with all its fields. The rows
-- of a single and of a component with several of them come over; scripts name the new one.
---@param schema engine.Schema
---@param at engine.At
---@return table
function M.renamed(schema, at)
  local known, fields = component.by_name[schema.name], {}
  for _, item in ipairs(known.writable) do
    local new = item.field and item.field.name or item.base
    fields[new] = schema.renamed_from[new] or new
  end
  return { schema.was, { [schema.name] = fields }, at }
end

function M.declare_all()
  C.world_aliases_clear(W)
  for _, name in ipairs(sorted(carried)) do
    for _, part in ipairs(carried[name].parts) do
      C.world_alias(W, name, part.known.id, 0xffffffff, "")
      for _, field in ipairs(part.fields) do
        for _, column in ipairs(part.known.vectors[field.new] or { part.known.by_name[field.new] }) do
          C.world_alias(W, name, part.known.id, column.column, field.old .. column.name:sub(#field.new + 1))
        end
      end
    end
  end
end

local function names_of(alias)
  local out = {}
  for i, part in ipairs(alias.parts) do
    out[i] = part.known.name
  end
  return table.concat(out, " and ")
end

-- The alias of that name, or nil; the first that asks is named in the log. Those who ask see `by_name` be empty first.
---@param name any
---@param who string begins the line in the log
---@return engine.Alias?
function M.find(name, who)
  local alias = M.by_name[name]
  if alias and not said[name] then
    said[name] = true
    log.info("%s names %s, which is %s now", who, name, names_of(alias))
  end
  return alias
end

-- The components of `values` (fields of the old one): name → fields of it, for each that the alias stands for.
---@param alias engine.Alias
---@param values any
---@return table<string, table<string, any>>
function M.split(alias, values)
  local out = {}
  for _, part in ipairs(alias.parts) do
    out[part.known.name] = {}
  end
  if values ~= nil and type(values) ~= "table" then
    report.complain("%s takes a table of fields, not %s", alias.name, type(values))
  elseif value.is_lively(values) then
    values = value.plain(values, sorted(alias.by_old))
  end
  for old, v in pairs(values or {}) do
    local to = alias.by_old[old]
    if not to then
      report.complain("%s is %s now, and no component has its field %s", alias.name, names_of(alias), report.plain(old))
    end
    out[to.known.name][to.new] = v
  end
  return out
end

-- A table by component with what aliases stand for in their place; what is there under its own name wins.
---@param components any
---@param who string
---@return any
function M.expand(components, who)
  if next(M.by_name) == nil or type(components) ~= "table" then
    return components
  end
  local out = {}
  for name, values in pairs(components) do
    local alias = M.find(name, who)
    if not alias then
      out[name] = values
    end
  end
  for _, name in ipairs(sorted(components)) do
    local alias = M.by_name[name]
    local left_out = alias and components[name] == false
    for _, part in ipairs(left_out and alias.parts or {}) do
      out[part.known.name] = false
    end
    for target, fields in pairs(alias and not left_out and M.split(alias, components[name]) or {}) do
      if type(out[target]) == "table" then
        for field, v in pairs(out[target]) do
          fields[field] = v
        end
      end
      if out[target] == nil or type(out[target]) == "table" then
        out[target] = fields
      end
    end
  end
  return out
end

-- What e.drive gives: reads and writes go where the fields are. `get(known)` gives the accessor of a component.
---@param alias engine.Alias
---@param get fun(known: engine.Component): any
---@return table
function M.access(alias, get)
  local function to(old)
    return alias.by_old[old] or report.complain("%s is %s now, and no component has its field %s", alias.name,
      names_of(alias), report.plain(old))
  end
  return setmetatable({}, {
    __index = function(_, old)
      local at = to(old)
      return get(at.known)[at.new]
    end,
    __newindex = function(_, old, v)
      local at = to(old)
      get(at.known)[at.new] = v
    end,
    __metatable = false,
  })
end

return M

-- Methods of entities, and what `e.health` means. Every light userdata shares one metatable; only entity handles exist here.
local need, native = ...
local abi, component, handle, message, report, schema, state, text, value =
  need("abi"), need("component"), need("handle"), need("message"), need("report"), need("schema"), need("state"), need("text"),
  need("value")
local alias, assemblage, query = need("alias"), need("assemblage"), need("query")
local ffi, C, W = abi.ffi, abi.C, abi.world

local M = {}
local methods = {}

-- The id of a living entity; anything else is an error that says what became of it.
local function living(e, method)
  local id = handle.id(e)
  if not id then
    report.complain("e:%s(): %s is not an entity", method, report.plain(e))
  elseif not handle.alive(id) then
    report.complain("e:%s(): %s", method, component.obituary(id))
  end
  return id
end

-- Before anything changes the world's structure.
local function changing(what)
  if state.loading then
    report.complain("%s: the world is not there while files are loaded; do it in game.lua's start or in a system", what)
  elseif state.rendering then
    report.complain("%s in a render system: drawing must not change the world", what)
  elseif not C.world_is_deferring(W) then
    query.close_here() -- their columns may move now
  end
end
M.changing = changing

local function instance_id(known, instance, method)
  if instance == nil then
    return 0
  elseif known.kind ~= "many" then
    report.complain("e:%s: %s has no named instances (t.many makes it so)", method, known.name)
  elseif type(instance) ~= "string" then
    report.complain("e:%s: the instance's name is a text, not %s", method, type(instance))
  end
  return text.keep(instance)
end

local function set_packed(id, known, instance, n)
  for i = 0, n - 1 do
    if not C.world_set(W, id, known.id, instance, value.columns[i], value.numbers[i], abi.error) then
      report.complain("%s", abi.error_text())
    end
  end
end

local function set_fields(id, known, instance, values)
  set_packed(id, known, instance, value.pack(known, values))
end
M.set_fields = set_fields

-- No `return C.f(…)` below: a function that leaves by a tail call into C cannot be part of a compiled loop.
local function owned(name, method)
  local known = component.by_name[name]
  if not known then
    component.find(name, "e:" .. method)
  elseif known.kind == "single" then
    report.complain("e:%s: %s is a single: it belongs to no entity (world.single.%s)", method, name, name)
  end
  return known
end

function methods.alive(e)
  local id = handle.id(e)
  return id ~= nil and handle.alive(id)
end

function methods.destroy(e)
  changing("e:destroy")
  local id = handle.id(e)
  if not id then
    report.complain("e:destroy(): %s is not an entity (with a colon: e:destroy())", report.plain(e))
  end
  return C.world_destroy(W, id)
end

function methods.has(e, name)
  local id = living(e, "has")
  local there = C.world_has(W, id, owned(name, "has").id)
  return there
end

function methods.add(e, name, values, instance)
  changing("e:add")
  local id = living(e, "add")
  local known = owned(name, "add")
  local at = instance_id(known, instance, "add")
  local n = values ~= nil and value.pack(known, values) or 0
  if not C.world_add(W, id, known.id, at, abi.error) then
    report.complain("e:add: %s", abi.error_text())
  end
  set_packed(id, known, at, n)
  return e
end

function methods.set(e, name, values, instance)
  changing("e:set")
  local id = living(e, "set")
  local known = owned(name, "set")
  local at = instance_id(known, instance, "set")
  if not C.world_has(W, id, known.id) and not C.world_is_pending(W, id, known.id) then
    component.lacking(known, id)
  end
  set_fields(id, known, at, values)
  return e
end

function methods.remove(e, name, instance)
  changing("e:remove")
  local id = living(e, "remove")
  local known = owned(name, "remove")
  local removed = C.world_remove(W, id, known.id, instance_id(known, instance, "remove"))
  return removed
end

function methods.enter(e, name)
  changing("e:enter")
  local id = living(e, "enter")
  if type(name) ~= "string" then
    report.complain("e:enter takes the name of a state, not %s", type(name))
  end
  if not C.world_enter(W, id, text.keep(name), abi.error) then
    local resolved = assemblage.resolved[text.text(abi.entities.assemblage[handle.index(id)])]
    report.complain("%s has no state %s: there are %s", component.title(id), name, report.names(resolved and resolved.states or {}))
  end
  return e
end

function methods.state(e)
  local name = abi.entities.state[handle.index(living(e, "state"))]
  return name ~= 0 and text.text(name) or nil
end

function methods.assemblage(e)
  local name = abi.entities.assemblage[handle.index(living(e, "assemblage"))]
  return name ~= 0 and text.text(name) or nil
end

function methods.name(e)
  local id = living(e, "name")
  local known = component.by_name.name
  return known and known.get.value(id) or nil
end

function methods.parent(e)
  local id = C.transform_parent(W, living(e, "parent"))
  return id ~= 0 and handle.handle(id) or nil
end

function methods.children(e)
  local id = living(e, "children")
  local count = C.transform_children(W, id, nil, 0)
  local ids = ffi.new("shoal_entity[?]", math.max(count, 1))
  C.transform_children(W, id, ids, count)
  local out = {}
  for i = 1, count do
    out[i] = handle.handle(ids[i - 1])
  end
  return out
end

local function describe_row(known, row)
  local out = {}
  for _, item in ipairs(known.writable) do
    if item.field then
      local read = known.get_row[item.field.name]
      if read then
        out[item.field.name] = read(row)
      end
    else
      local parts = {}
      for i, part in ipairs(item.parts) do
        parts[i] = known.get_row[part.name](row)
      end
      out[item.base] = parts
    end
  end
  return out
end

-- Every component and field, as plain tables.
function methods.describe(e)
  local id = living(e, "describe")
  local out = {}
  for name, known in pairs(component.by_name) do
    if known.manager and known.kind ~= "single" and C.world_has(W, id, known.id) then
      local row = C.manager_instance_row(known.manager, id, 0)
      if known.kind == "many" then
        out[name] = {}
        local manager = known.manager
        for i = 0, manager.count - 1 do
          if manager.owner[i] == id then
            out[name][text.text(manager.instance[i])] = describe_row(known, i)
          end
        end
      else
        out[name] = describe_row(known, row)
      end
    end
  end
  return out
end

function methods.send(e, name, values)
  changing("e:send")
  message.send(living(e, "send"), name, values)
end

-- With a name that is an alias: for each of the components that it stands for. Nothing of this is there in games without aliases.
function M.know_aliases()
  local add, set, has, remove = methods.add, methods.set, methods.has, methods.remove
  local function each(plain, wanted)
    return function(e, name, values, instance)
      local known = alias.find(name, "e:" .. wanted)
      if not known then
        return plain(e, name, values, instance)
      end
      for target, fields in pairs(alias.split(known, values)) do
        if wanted == "add" or next(fields) ~= nil then
          plain(e, target, fields)
        end
      end
      return e
    end
  end
  methods.add, methods.set = each(add, "add"), each(set, "set")
  function methods.has(e, name)
    local known = alias.find(name, "e:has")
    for _, part in ipairs(known and known.parts or {}) do
      if not has(e, part.known.name) then
        return false
      end
    end
    return known ~= nil or has(e, name)
  end
  function methods.remove(e, name, instance)
    local known = alias.find(name, "e:remove")
    local removed = false
    for _, part in ipairs(known and known.parts or {}) do
      removed = remove(e, part.known.name) or removed
    end
    if known then
      return removed
    end
    return remove(e, name, instance)
  end
end

-- By itself: a function that makes closures over its arguments cannot be compiled, and __index must be.
local function access_alias(e, name)
  local known = alias.find(name, "e." .. report.plain(name))
  if not known then
    report.complain("an entity has no component or method %s", report.plain(name))
  end
  return alias.access(known, function(target)
    return e[target.name]
  end)
end

local accessor = component.accessor
local metatable = {
  __index = function(e, name)
    local method = methods[name]
    if method then
      return method
    end
    local make = accessor[name]
    if make then
      local id = handle.id(e)
      local known = component.by_name[name]
      if known.row_of(id) < 0 and not (handle.alive(id) and C.world_is_pending(W, id, known.id)) then
        component.lacking(known, id)
      end
      return make(id)
    end
    return access_alias(e, name)
  end,
  __newindex = function(_, name)
    local shown = report.plain(name)
    report.complain("e.%s: write a field, e.%s.field = …, or use e:add(\"%s\", { … })", shown, shown, shown)
  end,
  __tostring = function(e)
    local id = handle.id(e)
    return not id and "userdata" or id == 0 and "none" or component.title(id)
  end,
  __metatable = false,
}

for name in pairs(methods) do
  local listed = false
  for _, known in ipairs(schema.entity_methods) do
    listed = listed or known == name
  end
  assert(listed, name)
end
native.set_handle_metatable(metatable)

M.living = living
return M

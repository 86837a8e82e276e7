-- Behaviours: files whose functions run for single entities. A behaviour becomes a component (its `state`, so that what it remembers
-- lives in columns) and a system over script + that component; "shoal.behaviours" gives entities the state component that their
-- script.file asks for. So a behaviour fails, parks, reloads and is saved like any system.
local need = ...
local abi, component, handle, message, report, schema, system =
  need("abi"), need("component"), need("handle"), need("message"), need("report"), need("schema"), need("system")
local sorted, state = need("sorted"), need("state")
local C, W, place = abi.C, abi.world, abi.place

local M = { files = {} }
local list = {} -- the states of all behaviours, in order
local KEYS = { state = "table", create = "function", update = "function", destroy = "function", on = "table" }

local function component_name(file)
  return "behaviour:" .. file:gsub("^behaviours/", ""):gsub("%.lua$", "")
end

-- `self` of one entity: made when first needed, in every VM anew; nothing of it has to survive.
local function self_of(selfs, name, id)
  local self = selfs[id]
  if not self then
    self = setmetatable({ entity = handle.handle(id), state = component.accessor[name](id) }, {
      __newindex = function(_, key)
        report.complain("self.%s would be lost by a reload: declare it in the behaviour's state", tostring(key))
      end,
    })
    selfs[id] = self
  end
  return self
end

-- The entity at hand is found by the loop's locals (engine/script/report.c).
local UPDATE = [[
local self_of, place = ...
return function(query, enabled, update, selfs, name, dt)
  local ids = query.entities
  for i = 0, query.count - 1 do
    if enabled[i + 1] then
      place.entity = ids[i]
      update(self_of(selfs, name, ids[i]), dt)
    end
  end
  place.entity = 0
end
]]

-- May this handler of the behaviour run? Then it is the piece that runs; else it has failed before.
local function begin(known, part)
  local piece = known.piece_called[part]
  if known.off[piece] then
    C.vm_skip(abi.vm, known.number, piece)
    return false
  end
  place.piece = piece
  return true
end

local function messages_of(behaviour, selfs, name, ev, known)
  local outer = place.piece
  for i = 1, ev.count do
    local id = ev.to:raw(i)
    local handler = behaviour.on[ev.name[i]]
    if handler and component.by_name[name].row_of(id) >= 0 and component.by_name.script.get.enabled(id)
      and begin(known, "on " .. ev.name[i]) then
      state.entity = id
      handler(self_of(selfs, name, id), message.values(ev.body[i]))
    end
  end
  place.piece, state.entity = outer, 0
end

-- `known()` is its system, once it is there.
local function system_of(behaviour, name, known)
  local selfs = {}
  local declaration = { phase = "update", query = { "script", name }, on = {} }
  function declaration.enter(e)
    if behaviour.create then
      behaviour.create(self_of(selfs, name, handle.id(e)))
    end
  end
  function declaration.leave(e)
    local id = handle.id(e)
    if behaviour.destroy then
      behaviour.destroy(self_of(selfs, name, id))
    end
    selfs[id] = nil
    if handle.alive(id) then
      C.world_remove(W, id, component.by_name[name].id, 0)
    end
  end
  if behaviour.update then
    local loop = loadstring(UPDATE, "@[shoal]/loop.lua")(self_of, place)
    function declaration.update(q, dt)
      loop(known().record.query, q.script.enabled, behaviour.update, selfs, name, dt)
    end
  end
  if behaviour.on then
    declaration.on[message.EVENT] = function(ev)
      messages_of(behaviour, selfs, name, ev, known())
    end
  end
  return declaration
end

-- file: "behaviours/guard.lua"; at: { file, text }. Checks it and adds its component and system.
function M.add(file, behaviour, at)
  local function fail(key, text_format, ...)
    report.fail { message = string.format(text_format, ...), file = at.file, line = key and report.line_of(at.text, key) or 1,
      piece = "behaviour " .. file }
  end
  if type(behaviour) ~= "table" then
    fail(nil, "the file must return a table: return { state = { … }, update = function(self, dt) … end }")
  end
  for key, v in pairs(behaviour) do
    if not KEYS[key] then
      fail(key, "a behaviour has no part %s: there are %s", tostring(key), report.names(KEYS))
    elseif type(v) ~= KEYS[key] then
      fail(key, "%s is a %s, not a %s", key, KEYS[key], type(v))
    end
  end
  local name = component_name(file)
  local known = component.add_declared(schema.read(name, behaviour.state or {}, "behaviour", at))
  M.files[file] = known
  list[#list + 1] = known
  local added
  local parts = { changes = "create and destroy", body = "update" }
  for _, message_name in ipairs(sorted(behaviour.on or {})) do
    parts[#parts + 1] = "on " .. tostring(message_name)
  end
  added = system.add(file, system_of(behaviour, name, function() return added end), at, parts)
  added.functions = { ["create and destroy"] = behaviour.create or behaviour.destroy, update = behaviour.update }
  for message_name, handler in pairs(behaviour.on or {}) do
    added.functions["on " .. tostring(message_name)] = handler
  end
  added.title = "behaviour " .. file
end

local warned = {}

-- Gives each scripted entity the state of its file. A file that does not exist is said once.
local function attach(q)
  local file, entity = q.script.file, q.entity
  for i = 1, q.count do
    local wanted = M.files[file[i]]
    local id = entity:raw(i)
    for k = 1, #list do -- the file may have been another one before
      if list[k] ~= wanted and list[k].row_of(id) >= 0 then
        C.world_remove(W, id, list[k].id, 0)
      end
    end
    if wanted then
      if wanted.row_of(id) < 0 then
        C.world_add(W, id, wanted.id, 0, abi.error)
      end
    elseif file[i] ~= "" and not warned[file[i]] then
      warned[file[i]] = true
      need("log").warn("%s: its script asks for %s, and there is no such file", component.title(id), file[i])
    end
  end
end

function M.add_system()
  system.add("shoal.behaviours", { phase = "pre_update", priority = -1000, query = { "script" }, update = attach },
    { file = "[shoal]/behaviour.lua", text = "" })
end

return M

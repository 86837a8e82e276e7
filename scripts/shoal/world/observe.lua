-- Observers and counters of changes: engine/ecs/changes.h.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local report = need("base/report")
local state = need("base/state")
local meant = need("messages/meant")
local component = need("schema/component")
local ffi, C, W, place = abi.ffi, abi.C, abi.world, abi.place

---@class engine.observe
local M = {}
M.MOST_ROUNDS = 100 -- OBSERVER_MOST_ROUNDS

local KINDS = { "remove", "add", "set" } -- in the order in which they are called
local NUMBERS = { add = 0, remove = 1, set = 2 } -- observed_t
local counted = ffi.new("uint32_t[1]")

-- --- observe = { add = function(list, dt) … end, … } of a system

---@param name string
---@param system table as declared
---@param fail fun(key: string, message: string, ...: any)
function M.check(name, system, fail)
  local observed = system.observe
  if not observed then
    return
  elseif next(observed) == nil then
    fail("observe", "observe of %s is empty: it has functions, observe = { add = function(list) … end }, of add, "
      .. "remove and set", name)
  elseif not system.query then
    fail("observe", "observe needs a query, which says what is observed: query = { \"health\" }")
  elseif system.enter or system.leave then
    fail("observe", "%s has observe and %s: observe hears of both, add and remove, in lists", name,
      system.enter and "enter" or "leave")
  elseif system.phase == "render" then
    fail("observe", "%s draws, and observes: what is drawn changes nothing, so it is heard in a phase of the tick",
      name)
  elseif system.parallel then
    fail("observe", "%s is parallel, and observes: let an ordinary system observe", name)
  end
  for kind, f in pairs(observed) do
    if not NUMBERS[kind] then
      fail("observe", "observe has no part %s%s: there are add, remove and set", report.plain(kind),
        meant.aside("observe", kind, NUMBERS))
    elseif type(f) ~= "function" then
      fail("observe", "observe.%s is a function, not a %s", kind, type(f))
    end
  end
end

local endless = setmetatable({}, { __mode = "k" }) -- by declaration: the function that never ends

-- The function to name in a message: that one, else the first.
---@param declaration table
---@return function?
function M.first(declaration)
  if endless[declaration] then
    return endless[declaration]
  end
  for _, kind in ipairs(KINDS) do
    local f = declaration.observe and declaration.observe[kind]
    if f then
      return f
    end
  end
end

---@param system engine.System
function M.open(system)
  system.observer = C.observer_open(W, system.name, system.record.query)
end

local function listed(ids, count)
  local list = {}
  for i = 1, count do
    list[i] = handle.handle(ids[i - 1])
  end
  return list
end

---@param system engine.System
---@param dt number
function M.run(system, dt)
  place.watcher = C.observer_watcher(W, system.observer)
  C.observer_begin(W, system.observer)
  local lists = {} -- all of them before the first call: its own changes must not move them
  for _, kind in ipairs(KINDS) do
    local ids = C.observer_list(W, system.observer, NUMBERS[kind], counted)
    lists[kind] = system.declaration.observe[kind] and counted[0] > 0 and listed(ids, counted[0]) or nil
  end
  for _, kind in ipairs(KINDS) do
    if lists[kind] then
      system.declaration.observe[kind](lists[kind], dt)
    end
  end
end

---@param system engine.System
function M.without_end(system)
  C.observer_begin(W, system.observer)
  local what, which
  for _, kind in ipairs(KINDS) do
    local ids = C.observer_list(W, system.observer, NUMBERS[kind], counted)
    if counted[0] > 0 then
      what, which = kind, component.title(ids[0])
    end
  end
  place.watcher = C.observer_watcher(W, system.observer)
  endless[system.declaration] = system.declaration.observe[what]
  report.complain("%s changes what it observes each time that it hears of it: it was called %d times in one tick, the "
    .. "last time because of observe.%s of %s, and is stopped. Change only what is not as it should be yet",
    system.name, M.MOST_ROUNDS, what or "set", which or "an entity")
end

-- --- counters

local function component_called(name, who)
  if state.loading then
    report.complain("%s: the world is not there while files are loaded; use it in game.lua's start or in a system",
      who)
  elseif state.rendering or state.panel then
    report.complain("%s %s: it begins to count, which is a part of the world; ask in a phase of the tick", who,
      state.panel and "in a panel" or "in " .. state.where)
  end
  local known = type(name) == "string" and component.by_name[name]
  if not known then
    report.complain("%s: there is no component %s%s", who, report.plain(name),
      type(name) == "string" and component.hint(name) or "")
  end
  return known --[[@as engine.Component]]
end

-- How many rows of a component or single came, went or changed since somebody asked first.
---@param name string
---@return number
function M.changes(name)
  return tonumber(C.changes_of(W, component_called(name, "world.changes").id)) --[[@as number]]
end

---@param name string
---@return boolean
function M.changed(name)
  local known = component_called(name, "world.changed")
  if not state.system then
    report.complain("world.changed asks for a system, since it asked last, and none runs; world.changes(\"%s\") is a "
      .. "number to keep and to compare", name)
  end
  local changed = C.changes_since(W, state.system.name, known.id)
  return changed
end

return M

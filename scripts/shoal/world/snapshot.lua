-- world.snapshot and world.restore. Scripts get a userdata without members, which owns a buffer in C.
local need = ...
local abi = need("base/abi")
local cache = need("base/cache")
local handle = need("base/handle")
local phases = need("base/phases")
local report = need("base/report")
local text = need("base/string_table")
local weak_table = need("base/weak_table")
local definitions = need("world/definitions")
local entity = need("world/entity")
local ffi, C, W = abi.ffi, abi.C, abi.world

---@class engine.snapshot
local M = {}
local buffers = weak_table("k") -- snapshot, a userdata that scripts hold → snapshot_o *

-- Total size of new snapshots in bytes after which a garbage collection is forced: the collector counts only a few
-- bytes per snapshot.
local COLLECT_BYTES = 64 * 2 ^ 20
local new_bytes = 0

local metatable = {
  __tostring = function(self)
    local pointer = buffers[self]
    return string.format("snapshot(tick %d, %.1f KB)", tonumber(C.snapshot_tick(pointer)),
      tonumber(C.snapshot_size(pointer)) / 1024)
  end,
  __metatable = false,
}

-- Releases a buffer. The VM keeps a list of all buffers, because an interrupted VM collects no garbage.
local function release_buffer(pointer)
  C.vm_destroy_snapshot(abi.vm, pointer)
end

-- Returns an empty snapshot for C to fill.
local function create_empty_snapshot()
  if new_bytes > COLLECT_BYTES then
    new_bytes = 0
    collectgarbage()
  end
  return ffi.gc(C.vm_create_snapshot(abi.vm), release_buffer)
end

local function take_snapshot(caller)
  local pointer = create_empty_snapshot()
  if not C.snapshot_take(pointer, W, abi.error) then
    report.raise("%s: %s", caller, abi.get_error_text())
  elseif C.vm_exceeds_memory_limit(abi.vm, false) then
    new_bytes = 0
    collectgarbage() -- collects twice, because the second collection frees objects with finalizers
    collectgarbage()
    C.vm_exceeds_memory_limit(abi.vm, true)
  end
  return pointer
end

-- Creates the userdata through which a script owns a snapshot.
local function create_userdata(pointer)
  new_bytes = new_bytes + tonumber(C.snapshot_size(pointer))
  local object = newproxy(true)
  local meta = getmetatable(object)
  for name, part in pairs(metatable) do
    meta[name] = part
  end
  buffers[object] = pointer
  return object
end

---@return userdata snapshot
function M.take()
  phases.check("world.snapshot")
  return create_userdata(take_snapshot("world.snapshot"))
end

-- Requests that the snapshot of `tick`, or of the oldest tick if the history does not reach that far, be restored at
-- the end of the current tick. `replay`: true to also replay the recorded input of the following ticks.
local function request_restore(tick, replay)
  if tick % 1 ~= 0 or not (tick >= 0 and tick <= C.view_tick(W)) then
    report.raise("world.restore: a tick must be an integer from 0 to %d, got %s", C.view_tick(W),
      report.describe(tick))
  end
  local requests = abi.requests
  requests.restore, requests.restore_tick, requests.restore_replay = true, tick, replay
end

local function check_options(target, options)
  local replay = false
  for name, is_enabled in pairs(options or {}) do
    if name ~= "replay" then
      report.raise("world.restore has no option %s%s; available: replay", report.show(name),
        report.suggest(name, { "replay" }))
    elseif type(target) ~= "number" then
      report.raise("world.restore: replay requires a tick in the history, not a snapshot: use "
        .. "world.restore(world.tick - 60, { replay = true })")
    end
    replay = is_enabled and true or false
  end
  return replay
end

-- Restores a snapshot: immediately if called outside systems, otherwise at the end of the tick. If `target` is the
-- number of a tick, its snapshot is always restored at the end of the current tick.
---@param target any a snapshot, or a tick from 0 to the current one
---@param options? { replay: boolean }
function M.restore(target, options)
  entity.changing("world.restore")
  local pointer, replay = buffers[target], check_options(target, options)
  if type(target) == "number" then
    request_restore(target, replay)
    return
  elseif not pointer then
    report.raise("world.restore: expected a snapshot or a tick, got %s: keep the result of world.snapshot(), or use "
      .. "world.tick - 60", report.describe(target))
  end
  local is_deferred = C.world_is_deferring(W)
  if not is_deferred then
    definitions.expect(pointer)
  end
  if not (is_deferred and C.snapshot_check or C.snapshot_restore)(pointer, W, abi.error) then
    report.raise("world.restore: %s", abi.get_error_text())
  end
  if is_deferred then
    C.snapshot_restore_later(pointer, W)
  else
    text.refresh()
    cache.refresh()
  end
end

-- --- the host's history

-- Returns the snapshot of a tick, or nil if the history does not contain the tick. If `timeline` is "old", uses the
-- history of the timeline that the most recent restore abandoned.
---@param tick any
---@param timeline? any
---@return userdata? snapshot
function M.past(tick, timeline)
  phases.check("world.past")
  if type(tick) ~= "number" or tick % 1 ~= 0 then
    report.raise("world.past: expected a tick, got %s", report.describe(tick))
  elseif timeline ~= nil and timeline ~= "old" then
    report.raise("world.past: the second argument must be \"old\" (the abandoned timeline) or nil, got %s",
      report.describe(timeline))
  end
  local pointer = abi.session and create_empty_snapshot() or nil
  if not pointer or not C.history_abi_get_snapshot(abi.session, tick, timeline == "old", pointer, abi.error) then
    return nil
  end
  return create_userdata(pointer)
end

-- Returns the current tick (`now`), the range of ticks in this timeline's history (`first`, `last`) and in the history
-- of the abandoned timeline (`old`), and `again`: true if the abandoned timeline is being replayed.
---@return { now: integer, first?: integer, last?: integer, old?: table<string, integer>, again: boolean }
function M.describe_timeline()
  phases.check("world.timeline")
  if not abi.session then
    return { now = C.view_tick(W), again = false }
  end
  local info = ffi.new("timeline_info_t") --[[@as C.timeline_info_t]]
  C.history_abi_get_info(abi.session, info)
  local has_history, has_abandoned = info.last_tick > 0 or info.first_tick > 0, info.abandoned_last_tick > 0
  return {
    now = C.view_tick(W),
    first = has_history and info.first_tick or nil,
    last = has_history and info.last_tick or nil,
    old = has_abandoned and { first = info.abandoned_first_tick, last = info.abandoned_last_tick } or nil,
    again = info.replaying,
  }
end

-- --- comparing

local KIND_EVENT = 4
local NUMBER, BOOL, ENTITY = 1, 2, 3
local MAX_DIFFERENCES = 1000

local function to_lua_value(v)
  if v.kind == 0 then
    return nil
  elseif v.kind == NUMBER then
    return v.number
  elseif v.kind == BOOL then
    return v.number ~= 0
  elseif v.kind == ENTITY then
    return handle.handle(v.number)
  end
  return ffi.string(v.text)
end

local function to_optional_string(bytes)
  local s = ffi.string(bytes)
  return s ~= "" and s or nil
end

local function get_pointer(snapshot, caller)
  local pointer = buffers[snapshot]
  if not pointer then
    report.raise("%s: expected a snapshot, or nil for the current tick, got %s", caller, report.describe(snapshot))
  end
  return pointer
end

-- Returns the differences between two snapshots (nil: the current world) as a list of { entity, component, instance,
-- field, row, a, b }: entities, then singletons, events and the world itself. The list has at most `max_count` elements
-- (default: 100); its field `total` is the total number of differences.
---@param a? any
---@param b? any
---@param max_count? any
---@return shoal.difference[]
function M.compare(a, b, max_count)
  phases.check("world.compare")
  max_count = max_count or 100
  if type(max_count) ~= "number" or not (max_count >= 1 and max_count <= MAX_DIFFERENCES) then
    report.raise("world.compare: the maximum number of differences must be from 1 to %d, got %s", MAX_DIFFERENCES,
      report.describe(max_count))
  end
  local left = a == nil and take_snapshot("world.compare") or get_pointer(a, "world.compare")
  local right = b == nil and take_snapshot("world.compare") or get_pointer(b, "world.compare")
  local items = ffi.new("compare_item_t[?]", max_count)
  local total = tonumber(C.snapshot_compare(left, right, W, items, max_count, abi.error)) --[[@as number]]
  if total > 2 ^ 53 then
    report.raise("world.compare: %s", abi.get_error_text())
  end
  local list = { total = total }
  for i = 1, math.min(total, max_count) do
    local item = items[i - 1]
    list[i] = {
      entity = item.entity ~= 0 and handle.handle(item.entity) or nil,
      component = to_optional_string(item.component),
      instance = to_optional_string(item.instance),
      field = to_optional_string(item.field),
      row = item.kind == KIND_EVENT and item.row + 1 or nil,
      a = to_lua_value(item.a),
      b = to_lua_value(item.b),
    }
  end
  return list
end

return M

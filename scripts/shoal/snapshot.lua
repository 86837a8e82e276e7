-- world.snapshot and world.restore. What a script gets is a userdata without any members; the buffer behind it is C's and goes with it.
local need = ...
local abi, entity, report, state, text = need("abi"), need("entity"), need("report"), need("state"), need("text")
local ffi, C, W = abi.ffi, abi.C, abi.world

local M = {}
local behind = setmetatable({}, { __mode = "k" }) -- what a script holds → snapshot_o *

-- The collector sees a few bytes and not the megabytes behind them: it is called when many have been taken.
local ENOUGH = 64 * 2 ^ 20
local taken_bytes = 0

local metatable = {
  __tostring = function(self)
    local pointer = behind[self]
    return string.format("snapshot(tick %d, %.1f KB)", tonumber(C.snapshot_tick(pointer)), tonumber(C.snapshot_size(pointer)) / 1024)
  end,
  __metatable = false,
}

function M.take()
  if state.loading then
    report.complain("world.snapshot: the world is not there while files are loaded; use it in game.lua's start or in a system")
  end
  if taken_bytes > ENOUGH then
    taken_bytes = 0
    collectgarbage()
  end
  local pointer = ffi.gc(C.snapshot_create(C.world_allocator(W)), C.snapshot_release)
  if not C.snapshot_take(pointer, W, abi.error) then
    report.complain("world.snapshot: %s", abi.error_text())
  end
  taken_bytes = taken_bytes + tonumber(C.snapshot_size(pointer))
  local made = newproxy(true)
  local meta = getmetatable(made)
  for name, part in pairs(metatable) do
    meta[name] = part
  end
  behind[made] = pointer
  return made
end

-- Outside systems at once; in a system when the tick ends.
function M.restore(snapshot)
  local pointer = behind[snapshot]
  if not pointer then
    report.complain("world.restore takes what world.snapshot gave, not %s", type(snapshot))
  end
  entity.changing("world.restore")
  local later = C.world_is_deferring(W)
  if not (later and C.snapshot_check or C.snapshot_restore)(pointer, W, abi.error) then
    report.complain("world.restore: %s", abi.error_text())
  end
  if later then
    C.snapshot_restore_later(pointer, W)
  else
    text.refresh()
  end
end

return M

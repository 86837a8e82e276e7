-- table.sort with a comparison function: LuaJIT's algorithm (lib_table.c) in Lua. LuaJIT compiles it together with the
-- comparison, whereas it never compiles a call from C into Lua. The same values are compared and exchanged in the same
-- order as in C, so the result is also the same for an inconsistent comparison, or for one with side effects.
local bit = require("bit")
local rshift, rawget, rawset = bit.rshift, rawget, rawset

---@class engine.sort
local M = {}

-- Exchanges values of t[low + 1] to t[high - 2] until the values before the pivot are not greater and the values after
-- it are not less. Returns the index to which the pivot belongs, or nil if the comparison is inconsistent.
local function partition(t, low, high, is_less, pivot)
  local i, k = low, high - 1
  while true do
    local left, right
    repeat
      if i >= high then
        return nil
      end
      i = i + 1
      left = rawget(t, i)
    until not is_less(left, pivot)
    repeat
      if k <= low then
        return nil
      end
      k = k - 1
      right = rawget(t, k)
    until not is_less(pivot, right)
    if k < i then
      return i
    end
    rawset(t, i, right)
    rawset(t, k, left)
  end
end

-- Exchanges t[low], the middle value and t[high] so that they are in order. Returns the index of the middle value, or
-- nil if the range has only two or three values, which are then sorted.
local function sort_ends(t, low, high, is_less)
  local first, last = rawget(t, low), rawget(t, high)
  if is_less(last, first) then
    rawset(t, low, last)
    rawset(t, high, first)
  end
  if high - low == 1 then
    return nil
  end
  local middle = rshift(low + high, 1)
  local value = rawget(t, middle)
  first = rawget(t, low)
  if is_less(value, first) then
    rawset(t, middle, first)
    rawset(t, low, value)
  else
    last = rawget(t, high)
    if is_less(last, value) then
      rawset(t, middle, last)
      rawset(t, high, value)
    end
  end
  return high - low > 2 and middle or nil
end

local function exchange(t, i, k)
  local v = rawget(t, i)
  rawset(t, i, rawget(t, k))
  rawset(t, k, v)
end

-- Sorts t[low] to t[high]. Returns false if the comparison is inconsistent.
local function sort_range(t, low, high, is_less)
  while low < high do
    local middle = sort_ends(t, low, high, is_less)
    if not middle then
      break
    end
    local pivot = rawget(t, middle)
    exchange(t, middle, high - 1)
    local i = partition(t, low, high, is_less, pivot)
    if not i then
      return false
    end
    exchange(t, high - 1, i)
    local is_sorted
    if i - low < high - i then -- the shorter part is sorted by the recursive call
      is_sorted = sort_range(t, low, i - 1, is_less)
      low = i + 1
    else
      is_sorted = sort_range(t, i + 1, high, is_less)
      high = i - 1
    end
    if not is_sorted then
      return false
    end
  end
  return true
end

-- Implements table.sort(t, is_less). Returns false if the comparison is inconsistent: the caller raises the error.
---@param t table
---@param is_less fun(a: any, b: any): any
---@return boolean
function M.sort(t, is_less)
  return (sort_range(t, 1, #t, is_less))
end

return M

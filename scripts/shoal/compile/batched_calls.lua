-- What is worked out for a block of rows before its first vector: a call for each vector would wait for what it is
-- about to read, and the vector for what the call has just written. Other entities are asked for by ids that lie in a
-- column, and the exact functions (sin, atan2, …) get many numbers at a time, those first that others are made of.
local need = ...
local sorted_keys = need("base/sorted_keys")
local ir = need("compile/ir")

---@class engine.ahead
local M = {}

-- What needs nothing but the rows of its own vector.
local PLAIN = {}
for op in ([[load const parameter row widen round whole add sub mul div modulo neg abs sqrt floor ceil exact lt le eq
  and or not choose wrap_add wrap_sub wrap_mul word bit_and bit_or bit_xor bit_shl bit_lshr bit_ashr bit_rol
  bit_ror]]):gmatch("%S+") do
  PLAIN[op] = true
end

local MAX = 16 -- exact functions: each has rooms on the stack

-- How many exact functions lie one within another up to a node; false where it needs more than the rows of its vector.
local function depth_of(n, known)
  if known[n] ~= nil then
    return known[n]
  end
  local deepest = PLAIN[n.op] and not n.near and 0 or false
  for _, x in ipairs { n.a or false, n.b or false, n.c or false } do
    local depth = x and deepest and depth_of(x, known)
    deepest = deepest and (not x and deepest or depth and math.max(deepest, depth))
  end
  known[n] = deepest and deepest + (n.op == "exact" and 1 or 0)
  return known[n]
end

---@class engine.ahead.Plan
---@field finds engine.ir.Node[]
---@field exact engine.ir.Node[][] those of a place are worked out of those of the places before it

-- What each vector works out: what it stores, or where nothing may happen to some, what that is asked by.
---@param stored table<string, engine.ir.Node>
---@param active engine.ir.Node
---@return engine.ahead.Plan
function M.plan(stored, active)
  local plan, seen, known, count = { finds = {}, exact = {} }, {}, {}, 0
  local function look(n)
    if not n or seen[n] then return end
    seen[n] = true
    ir.pause()
    local sides = n.near or n -- f32 decides most comparisons; what f64 needs is not worked out before
    look(sides.a)
    look(sides.b)
    look(n.c)
    local depth = n.op == "exact" and count < MAX and depth_of(n, known)
    if depth then
      count = count + 1
      plan.exact[depth] = plan.exact[depth] or {}
      table.insert(plan.exact[depth], n)
    elseif n.op == "find" and n.a.op == "load" then
      table.insert(plan.finds, n)
    end
  end
  if not ir.is_const(active, true) then
    look(active)
    return plan
  end
  for _, key in ipairs(sorted_keys(stored)) do
    look(stored[key])
  end
  return plan
end

return M

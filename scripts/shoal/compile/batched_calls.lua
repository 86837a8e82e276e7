-- Plans the calls that are evaluated for a block of rows before the block's first vector: entity lookups whose ids are
-- loaded from a column, and exact functions (sin, atan2, …: base/exact_math.h), which take arrays of arguments. Calling
-- per vector is slow: arguments and results pass through memory, and the processor cannot forward a store to a load of
-- a different size (a store-forwarding stall). Nested exact functions are evaluated from the inside out.
local need = ...
local sorted_keys = need("base/sorted_keys")
local ir = need("compile/ir")

---@class engine.batched_calls
local M = {}

-- Operations whose result depends only on their operands, on loop-invariant values, and on columns of the rows in the
-- vector.
local PLAIN = {}
for op in ([[load const parameter row widen round whole add sub mul div modulo neg abs sqrt floor ceil exact lt le eq
  and or not choose wrap_add wrap_sub wrap_mul word bit_and bit_or bit_xor bit_shl bit_lshr bit_ashr bit_rol
  bit_ror]]):gmatch("%S+") do
  PLAIN[op] = true
end

local MAX_BATCHED_CALLS = 16 -- maximum number of batched exact functions; each needs one or two stack buffers

-- Returns the nesting depth of exact functions at a node, or false if the node cannot be evaluated ahead of its vector.
local function get_depth(n, depths)
  if depths[n] ~= nil then
    return depths[n]
  end
  local max_depth = PLAIN[n.op] and not n.near and 0 or false
  for _, operand in ipairs { n.a or false, n.b or false, n.c or false } do
    local depth = operand and max_depth and get_depth(operand, depths)
    max_depth = max_depth and (not operand and max_depth or depth and math.max(max_depth, depth))
  end
  depths[n] = max_depth and max_depth + (n.op == "exact" and 1 or 0)
  return depths[n]
end

---@class engine.batched_calls.Plan
---@field finds engine.ir.Node[] entity lookups to batch
---@field exact engine.ir.Node[][] calls to exact functions to batch, indexed by nesting depth

-- Returns the nodes that every row evaluates. If rows may be inactive, this is only the condition `active`.
---@param result engine.symbolic_exec.Result
---@return engine.ir.Node[]
local function list_roots(result)
  local roots = { result.active }
  if not ir.is_const(result.active, true) then
    return roots
  end
  for _, key in ipairs(sorted_keys(result.mem)) do
    roots[#roots + 1] = result.mem[key]
  end
  roots[#roots + 1] = result.exit_condition
  for _, item in ipairs(result.carried) do
    roots[#roots + 1] = item.node
  end
  return roots
end

-- Plans the batched calls that every row needs.
---@param result engine.symbolic_exec.Result
---@return engine.batched_calls.Plan
function M.plan(result)
  local plan, seen, depths, count = { finds = {}, exact = {} }, {}, {}, 0
  local function visit_node(n)
    if not n or seen[n] then return end
    seen[n] = true
    ir.pause()
    -- Most comparisons are decided in f32, so the operands of the f64 comparison are not batched.
    local operands = n.near or n
    visit_node(operands.a)
    visit_node(operands.b)
    visit_node(n.c)
    local depth = n.op == "exact" and count < MAX_BATCHED_CALLS and get_depth(n, depths)
    if depth then
      count = count + 1
      plan.exact[depth] = plan.exact[depth] or {}
      table.insert(plan.exact[depth], n)
    elseif n.op == "find" and n.a.op == "load" then
      table.insert(plan.finds, n)
    end
  end
  for _, root in ipairs(list_roots(result)) do
    visit_node(root)
  end
  return plan
end

return M

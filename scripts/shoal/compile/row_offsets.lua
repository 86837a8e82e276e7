-- Row numbers at a fixed distance from the loop's row: `i - 1`, `i + width`. If start and stop of the loop and such
-- distances are known before a run, a guard checks once that the row numbers are valid in all rows of the run, and the
-- rows need no check of their own.
local need = ...
local ir = need("compile/ir")

---@class engine.row_offsets
local M = {}

-- The sum of an offset's terms is exact up to these limits, in whichever order the row adds them.
local MAX_CONSTANT, MAX_PARAMETER, MAX_PARAMETERS = 2 ^ 31, 2 ^ 40, 2
M.MAX_PARAMETER = MAX_PARAMETER

---@class engine.row_offsets.Offset
---@field constant integer
---@field parameters { node: engine.ir.Node, sign: integer }[] loop-invariant numbers that are added or subtracted
---@field is_calculated? boolean one of the numbers is calculated from parameters

-- Operations whose result is loop-invariant if their operands are loop-invariant.
local PURE = {}
for op in ("const parameter widen add sub mul div modulo neg abs sqrt floor ceil lt le eq and or not choose"):gmatch(
  "%a+") do
  PURE[op] = true
end

-- Returns true if a node is calculated from parameters and constants only.
local function is_invariant(n)
  return PURE[n.op] and (not n.a or is_invariant(n.a)) and (not n.b or is_invariant(n.b))
    and (not n.c or is_invariant(n.c)) or false
end

local function add_parameter(n, sign, sum)
  sum.parameters[#sum.parameters + 1] = { node = n, sign = sign }
  return n.t == "f64" and #sum.parameters <= MAX_PARAMETERS
end

-- Adds the terms of a sum to `sum`. Returns false if the node is not a sum of the row number, integers and parameters.
local function add_terms(n, sign, sum)
  if n.op == "row" then
    sum.rows = sum.rows + sign
  elseif n.op == "const" then
    sum.constant = sum.constant + sign * n.v
    return n.v % 1 == 0 and math.abs(sum.constant) <= MAX_CONSTANT
  elseif n.op == "parameter" then
    return add_parameter(n, sign, sum)
  elseif n.op == "widen" then
    return add_terms(n.a, sign, sum)
  else
    local op, a, b = n.op, n.a, n.b
    if n.source then
      op, a, b = n.source[1], n.source[2], n.source[3]
    end
    if op == "add" or op == "sub" then
      return add_terms(a, sign, sum) and add_terms(b, op == "sub" and -sign or sign, sum)
    end
    sum.is_calculated = true
    return is_invariant(n) and add_parameter(n, sign, sum)
  end
  return true
end

-- Returns the offset of a number from the number of the loop's row; nil if the number is not the row number plus
-- integers and parameters.
---@param n engine.ir.Node
---@return engine.row_offsets.Offset?
function M.find(n)
  local sum = { rows = 0, constant = 0, parameters = {} }
  return add_terms(n, 1, sum) and sum.rows == 1 and sum or nil
end

-- Returns a function that returns true if the row number at this offset is valid in all rows of the loop. The function
-- contains no loop, because guards are called from LuaJIT's traces. `fetches`: functions that fetch the parameters, by
-- key.
---@param offset engine.row_offsets.Offset
---@param fetches table<string, fun(): any>
---@param steps { first: integer, stop: integer } start and stop of the loop in this run
---@param query any
---@return fun(): boolean
function M.create_guard(offset, fetches, steps, query)
  local constant, first, second = offset.constant, offset.parameters[1], offset.parameters[2]
  local function fetch_zero() return 0 end
  local fetch_first, fetch_second = first and fetches[first.node.v] or fetch_zero,
    second and fetches[second.node.v] or fetch_zero
  local sign, other_sign = first and first.sign or 1, second and second.sign or 1
  return function()
    local a, b = fetch_first(), fetch_second()
    local sum = constant + sign * a + other_sign * b
    return a % 1 == 0 and b % 1 == 0 and math.abs(a) <= MAX_PARAMETER and math.abs(b) <= MAX_PARAMETER
      and steps.first + sum >= 1 and steps.stop + sum <= query.count
  end
end

-- Returns the node of an offset that the guard has checked.
---@param offset engine.row_offsets.Offset
---@return engine.ir.Node
function M.to_node(offset)
  local n = ir.constant(offset.constant)
  for _, item in ipairs(offset.parameters) do
    n = ir.double.arithmetic(item.sign > 0 and "add" or "sub", n, item.node)
  end
  return n.t == "i32" and n or ir.make("whole", "i32", n, nil, nil, "offset", -2 ^ 22, 2 ^ 22)
end

-- Returns a name that equal offsets share.
---@param offset engine.row_offsets.Offset
---@return string
function M.format(offset)
  local out = { ("%d"):format(offset.constant) }
  for i, item in ipairs(offset.parameters) do
    out[i + 1] = (item.sign > 0 and "+" or "-") .. item.node.v
  end
  return table.concat(out, " ")
end

return M

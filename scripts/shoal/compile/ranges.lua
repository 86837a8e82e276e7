-- Range analysis of integers under the conditions of a control-flow path: with `total = c.attack[i] - c.defence[i]`,
-- `total` is at least 1 in rows where `total > 0`. If the range of a value fits its column, the store needs no range
-- check and no side exit. Ranges are computed on demand and not cached in nodes, because paths with different
-- conditions may share a node.
local need = ...
local ir = need("compile/ir")
local single_precision = need("compile/single_precision")

---@class engine.ranges
local M = {}

local EXACT = 2 ^ 53 -- f64 represents all integers below this exactly, whereas a result of 2^53 may have been rounded
local MAX_FACTS, STEPS_BETWEEN_PAUSES = 64, 64
-- Recursion limits: the first for a value, the second for the operands with which the value is compared. They bound the
-- work, because results are not cached.
local MAX_DEPTH, MAX_DEPTH_OF_FACTS = 6, 2

-- Returns the operand of a widening conversion; returns any other node unchanged.
local function strip_widening(n)
  return n.op == "widen" and n.a or n
end

local function is_whole(n)
  return n.t == "i32" or n.op == "const" and n.t ~= "bool" and n.v % 1 == 0 and math.abs(n.v) <= EXACT
end

local get_range

-- Adds the inequalities a + by <= b that a condition, or its negation, implies. `by` is 1 for a < b, and 0 for a <= b.
-- Both hold for integers only, as does the negation of a comparison (because of NaN); this is sufficient, because facts
-- are applied to integers only. Shared conditions are visited once.
local function add_fact(facts, n, is_not)
  local key = is_not and -n.id or n.id
  if facts.seen[key] or #facts >= MAX_FACTS then
    return
  end
  facts.seen[key] = true
  if n.op == "not" then
    add_fact(facts, n.a, not is_not)
  elseif n.op == (is_not and "or" or "and") then
    add_fact(facts, n.a, is_not)
    add_fact(facts, n.b, is_not)
  elseif n.op == "lt" or n.op == "le" then
    local a, b, offset = strip_widening(n.a), strip_widening(n.b), n.op == "lt" and 1 or 0
    facts[#facts + 1] = is_not and { a = b, b = a, by = 1 - offset } or { a = a, b = b, by = offset }
  elseif n.op == "eq" and n.a.t ~= "bool" and not is_not then
    local a, b = strip_widening(n.a), strip_widening(n.b)
    facts[#facts + 1], facts[#facts + 2] = { a = a, b = b, by = 0 }, { a = b, b = a, by = 0 }
  end
end

local function extend_facts(facts, n, is_not)
  local out = { seen = setmetatable({}, { __index = facts.seen }) }
  for i, fact in ipairs(facts) do
    out[i] = fact
  end
  add_fact(out, n, is_not)
  return out
end

-- Returns { op, a, b }, with the unwidened operands, for an i32 sum or difference, or for an f64 one that has a
-- `source`; nil for any other node.
local function match_sum(n)
  local source = n.source or (n.op == "add" or n.op == "sub") and n.t == "i32" and { n.op, n.a, n.b }
  return source and (source[1] == "add" or source[1] == "sub") and source or nil
end

-- Returns the range, lo and hi, that follows from the operands; nil if they determine no range, for example because the
-- value may be fractional.
local function compute_operand_range(n, facts, depth)
  local sum = match_sum(n)
  if n.op == "widen" then
    return get_range(n.a, facts, depth - 1)
  elseif n.op == "choose" then
    local a_lo, a_hi = get_range(n.a, extend_facts(facts, n.c), depth - 1)
    local b_lo, b_hi = get_range(n.b, extend_facts(facts, n.c, true), depth - 1)
    if a_lo and b_lo then
      return math.min(a_lo, b_lo), math.max(a_hi, b_hi)
    end
  elseif sum then
    local a_lo, a_hi = get_range(sum[2], facts, depth - 1)
    local b_lo, b_hi = get_range(sum[3], facts, depth - 1)
    if a_lo and b_lo then
      if sum[1] == "sub" then
        b_lo, b_hi = -b_hi, -b_lo
      end
      return a_lo + b_lo, a_hi + b_hi
    end
  end
  return nil
end

local function range_of_node(n, facts, depth)
  if n.op ~= "const" and depth > 0 then
    local lo, hi = compute_operand_range(n, facts, depth)
    if n.t ~= "i32" then
      return lo, hi
    end
    return math.max(n.lo, lo or n.lo), math.min(n.hi, hi or n.hi)
  elseif n.t == "i32" then
    return n.lo, n.hi
  elseif is_whole(n) then
    return n.v, n.v
  end
  return nil
end

local steps, NO_FACTS = 0, { seen = {} }

-- Returns the range, lo and hi, of a node on a path with these facts. Returns nil if the value may be fractional, if it
-- may be 2^53 or more in magnitude, or if the path is unreachable.
function get_range(n, facts, depth)
  steps = steps + 1
  if steps % STEPS_BETWEEN_PAUSES == 0 then
    ir.pause()
  end
  local lo, hi = range_of_node(n, facts, depth)
  if not lo or math.abs(lo) >= EXACT or math.abs(hi) >= EXACT then
    return nil
  end
  local sum, operand = match_sum(n), strip_widening(n)
  for _, fact in ipairs(facts) do
    if sum and sum[1] == "sub" and strip_widening(sum[2]) == fact.b and strip_widening(sum[3]) == fact.a then
      lo = math.max(lo, fact.by)
    elseif sum and sum[1] == "sub" and strip_widening(sum[2]) == fact.a and strip_widening(sum[3]) == fact.b then
      hi = math.min(hi, -fact.by)
    elseif fact.a == operand and fact.b ~= operand and depth > 0 then
      local _, upper_bound = range_of_node(fact.b, NO_FACTS, math.min(depth - 1, MAX_DEPTH_OF_FACTS))
      hi = upper_bound and math.min(hi, upper_bound - fact.by) or hi
    elseif fact.b == operand and fact.a ~= operand and depth > 0 then
      local lower_bound = range_of_node(fact.a, NO_FACTS, math.min(depth - 1, MAX_DEPTH_OF_FACTS))
      lo = lower_bound and math.max(lo, lower_bound + fact.by) or lo
    end
  end
  if lo > hi then -- the path is unreachable
    return nil
  end
  return lo, hi
end

local modulo

-- Replaces an f64 comparison of integers with a 32-bit comparison if both operands fit in signed or in unsigned 32
-- bits. Otherwise, returns the condition unchanged.
local function compare_in_32_bits(c, facts)
  if c.op == "not" then
    return ir.NOT(compare_in_32_bits(c.a, facts))
  elseif c.op ~= "lt" and c.op ~= "le" and c.op ~= "eq" or c.a.t ~= "f64"
    or not get_range(c.a, facts, MAX_DEPTH) or not get_range(c.b, facts, MAX_DEPTH) then
    return c
  end
  local a, b, a_sum, b_sum = c.a, c.b, match_sum(c.a), match_sum(c.b)
  if ir.is_const(a, 0) and b_sum and b_sum[1] == "sub" then -- 0 < x - y is y < x
    a, b = b_sum[3], b_sum[2]
  elseif ir.is_const(b, 0) and a_sum and a_sum[1] == "sub" then
    a, b = a_sum[2], a_sum[3]
  end
  local a_lo, a_hi = get_range(a, facts, MAX_DEPTH)
  local b_lo, b_hi = get_range(b, facts, MAX_DEPTH)
  local left, right = a_lo and modulo(a, facts), b_lo and modulo(b, facts)
  if not left or not right then
    return c
  end
  local lo, hi = math.min(a_lo, b_lo), math.max(a_hi, b_hi)
  if lo >= ir.MIN and hi <= ir.MAX then
    return ir.compare_numbers(c.op, left, right)
  elseif lo >= 0 and hi < 2 ^ 32 then
    local sign = ir.constant(ir.MIN)
    return ir.compare_numbers(c.op, ir.bits("xor", left, sign), ir.bits("xor", right, sign))
  end
  return c
end

-- Like ir.choose, but the result is i32 in single precision too, where the typing rules would make a choice between two
-- constants f64.
local function choose_i32(c, a, b)
  if a == b or c.op == "const" then
    return ir.choose(c, a, b)
  end
  return ir.double.choose(c, a, b)
end

-- Returns the value modulo 2^32, calculated in 32 bits; equal to the value itself if that fits in 32 bits. Returns nil
-- unless the value is calculated from integers by additions, subtractions and choices only.
function modulo(n, facts)
  local source, operand = n.source, strip_widening(n)
  if operand.t == "i32" then
    return operand
  elseif is_whole(operand) then
    local low = operand.v % 2 ^ 32
    return ir.constant(low > ir.MAX and low - 2 ^ 32 or low)
  elseif n.op == "choose" then
    local a, b = modulo(n.a, extend_facts(facts, n.c)), modulo(n.b, extend_facts(facts, n.c, true))
    return a and b and choose_i32(compare_in_32_bits(n.c, facts), a, b)
  elseif source and (source[1] == "add" or source[1] == "sub") then
    local a, b = modulo(source[2], facts), modulo(source[3], facts)
    return a and b and ir.make("wrap_" .. source[1], "i32", a, b, nil, nil, ir.MIN, ir.MAX)
  end
  return nil
end

-- Converts a number to the field's type without side exits: numbers out of range for an integer field are clamped and
-- passed to `guard`, which reports them.
local function convert_in_place(field, v, key, guard, is_single)
  if is_single then
    return single_precision.convert_for_store(field, v, key, guard)
  end
  return ir.INTEGERS[field.type] and single_precision.clamped(field, v, guard) or ir.convert_for_store(field, v, key,
    guard)
end

--- Converts a value to the type of a column, like ir.convert_for_store, for rows in which `pred` holds: an integer that
--- fits the column because of this condition is not checked. With a `precision`, out-of-range values are clamped.
---@param field engine.Field
---@param v any
---@param key string
---@param guard fun(bad: engine.ir.Node, value?: engine.ir.Node)
---@param pred engine.ir.Node
---@param precision? "single"|"double"
---@return engine.ir.Node
function M.convert_for_store(field, v, key, guard, pred, precision)
  local range, facts = ir.INTEGERS[field.type], { seen = {} }
  local may_not_fit = range and field.type ~= "enum" and type(v) == "table"
    and (v.t == "f64" or v.t == "i32" and (v.lo < range[1] or v.hi > range[2]))
  if may_not_fit then
    add_fact(facts, pred)
    local lo, hi = get_range(v, facts, MAX_DEPTH)
    local is_in_range = lo and lo >= math.max(range[1], field.min_valid or range[1]) and hi <= range[2]
    local result = is_in_range and modulo(v, facts)
    if result then
      return precision == "single" and single_precision.convert_to_kind(result, "whole") or result
    end
  end
  if precision and field.type ~= "bool" and field.type ~= "enum" and field.type ~= "string" then
    return convert_in_place(field, ir.number(v), key, guard, precision == "single")
  end
  return ir.convert_for_store(field, v, key, guard)
end

-- Returns true if an integer is at least `low` in all rows for which `pred` holds.
---@param n engine.ir.Node
---@param low number
---@param pred engine.ir.Node
---@return boolean
function M.is_at_least(n, low, pred)
  local facts, operand = { seen = {} }, strip_widening(n)
  add_fact(facts, pred)
  for _, fact in ipairs(facts) do
    if fact.b == operand and operand.t == "i32" and fact.a.op == "const" and fact.a.v + fact.by >= low then
      return true
    end
  end
  local minimum = get_range(n, facts, MAX_DEPTH)
  return minimum ~= nil and minimum >= low
end

return M

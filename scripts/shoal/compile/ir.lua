-- Intermediate representation of a row's calculation: nodes { op, t, a, b, c, v, lo, hi }, where a, b and c are the
-- operands and `t` is the type f64, f32, i32 or bool. Nodes are hash-consed: M.make returns the existing node of an
-- equal calculation, so equal calculations are one node.
--
-- Lua calculates in f64; a node is f32 or i32 only where that type represents the number exactly: the value of a
-- column, a choice between such values, an integer sum that cannot overflow 32 bits (`lo` and `hi` are its range).
-- Widening converts a node to a type that represents all of its values. Nothing is reassociated or fused, so results
-- are bit-identical to LuaJIT's (design/0042).
local need = ...
local abi = need("base/abi")
local ffi, bit = abi.ffi, require("bit")

---@class engine.ir.Node
---@field op string
---@field t "f64"|"f32"|"i32"|"bool"
---@field a? engine.ir.Node
---@field b? engine.ir.Node
---@field c? engine.ir.Node
---@field v? any value of a constant, name of a column or parameter, or another property of the operation
---@field lo? number
---@field hi? number
---@field id integer
---@field varies? boolean the node depends on a loop-carried value of an inner loop
---@field source? table for an arithmetic operation: { op, a, b } before the operands were widened
---@field near? table for a comparison in f64: the operands `a` and `b` rounded to f32, which decide the comparison
--- unless they are equal; `wide`: the f64 operand that was rounded
---@field shift? { offset: engine.row_offsets.Offset, count: string, map: any } for a row index at a loop-invariant
---distance from the loop's row: that distance, the parameter with the query's row count, and the key of the row map,
---if any
---@field kept? engine.ir.Node this node converted to f32, as an f32 column stores it
---@field kind? string kind in single precision: compile/single_precision.lua

---@class engine.ir
local M = {}

local MIN, MAX = -2147483648, 2147483647
M.MIN, M.MAX = MIN, MAX

-- Range by field type, for the integer columns whose values are loaded as i32.
M.INTEGERS = {
  i8 = { -128, 127 }, i16 = { -32768, 32767 }, i32 = { MIN, MAX }, u8 = { 0, 255 }, u16 = { 0, 65535 },
  enum = { 0, 255 },
}

-- Raises the error { refused = reason }: the code that is being executed symbolically cannot be compiled.
---@param fmt string
---@param ... any
function M.refuse(fmt, ...)
  error({ refused = fmt:format(...) }, 0)
end
local refuse = M.refuse

local count, interned_nodes = 0, {}
local booleans = {} -- truth table → boolean node
local NODES_BETWEEN_PAUSES = 16
M.MAX_NODES = 4000 -- maximum number of nodes in a body

-- Symbolic execution takes milliseconds and is spread over several ticks in a coroutine. The caller sets M.is_over,
-- which returns true when the time slice is used up.
M.is_over = nil ---@type (fun(): boolean)?

function M.pause()
  if M.is_over and M.is_over() then
    coroutine.yield()
  end
end

-- Returns the number of nodes created since the last reset.
---@return integer
function M.count_nodes()
  return count
end

function M.reset()
  count, interned_nodes, booleans = 0, {}, {}
end

-- The current typing rules: the single-precision rules (compile/single_precision.lua) while rows of a single-precision
-- system are executed symbolically; nil stands for Lua's rules.
local rules ---@type engine.single?

-- Selects the typing rules. Returns the previously selected rules.
---@param new_rules? engine.single
---@return engine.single? previous
function M.select_rules(new_rules)
  local previous = rules
  rules = new_rules
  return previous
end

local function is_negative_zero(v)
  return v == 0 and 1 / v < 0
end

local function format_key(v)
  if type(v) ~= "number" then
    return tostring(v)
  end
  return is_negative_zero(v) and "-0" or v ~= v and "nan" or ("%.17g"):format(v)
end

-- Returns the node of a calculation, creating it if it does not exist. `lo` and `hi`: range of an integer.
---@param op string
---@param t string
---@param a? engine.ir.Node
---@param b? engine.ir.Node
---@param c? engine.ir.Node
---@param v any
---@param lo? number
---@param hi? number
---@return engine.ir.Node
local function make_node(op, t, a, b, c, v, lo, hi)
  -- A node whose range is a single value is a constant (used by M.bits).
  if t == "i32" and lo and lo == hi and op ~= "const" then
    op, a, b, c, v = "const", nil, nil, nil, lo
  end
  local key = op .. "|" .. t .. "|" .. (a and a.id or "") .. "|" .. (b and b.id or "") .. "|" .. (c and c.id or "")
    .. "|" .. (v ~= nil and format_key(v) or "")
  local node = interned_nodes[key]
  if not node then
    count = count + 1
    if count > M.MAX_NODES then
      refuse("a body with too many operations: split the system into several")
    end
    node = { node = true, op = op, t = t, a = a, b = b, c = c, v = v, lo = lo, hi = hi, id = count }
    node.varies = op == "phi" or op == "after_loop" or a and a.varies or b and b.varies or c and c.varies or nil
    interned_nodes[key] = node
    if count % NODES_BETWEEN_PAUSES == 0 then
      M.pause()
    end
  end
  return node
end
M.make = make_node

local f32_buffer = ffi.new("float[1]")
local function is_f32(v)
  f32_buffer[0] = v
  return f32_buffer[0] == v
end

-- Returns the node of a boolean or number constant, in the narrowest type that represents it exactly.
---@param v any
---@return engine.ir.Node
local function constant(v)
  if type(v) == "boolean" then
    return make_node("const", "bool", nil, nil, nil, v)
  elseif v % 1 == 0 and v >= MIN and v <= MAX and not is_negative_zero(v) then
    return make_node("const", "i32", nil, nil, nil, v, v, v)
  end
  return make_node("const", is_f32(v) and "f32" or "f64", nil, nil, nil, v)
end
M.constant = constant

-- Returns true if the node is a constant (with value `v`, unless that is nil).
---@param n engine.ir.Node
---@param v? any
---@return boolean
local function is_const(n, v)
  return n.op == "const" and (v == nil or n.v == v)
end
M.is_const = is_const

-- Converts a Lua number to a constant node and returns number nodes unchanged. Any other value is refused.
---@param x any
---@return engine.ir.Node
function M.number(x)
  if type(x) == "number" then
    return constant(x)
  elseif type(x) == "table" and x.node and x.t ~= "bool" then
    return x
  end
  refuse("the use of %s as a number",
    type(x) == "table" and (x.label or x.node and "a boolean" or x.kind) or type(x))
end
local number = M.number

--- Converts a node to a wider type, which represents the same number. Returns the node itself if it has that type.
---@param n engine.ir.Node
---@param t string
---@return engine.ir.Node
local function widen(n, t)
  if n.t == t then
    return n
  elseif n.op == "const" then
    return make_node("const", t, nil, nil, nil, n.v, n.lo, n.hi)
  end
  return make_node("widen", t, n, nil, nil, nil, n.lo, n.hi)
end
M.widen = widen

local function fits_f32(n)
  return n.t == "f32" or is_const(n) and n.t ~= "bool" and is_f32(n.v)
    or n.t == "i32" and n.lo >= -2 ^ 24 and n.hi <= 2 ^ 24
end

-- --- booleans

-- A boolean node has a truth table: `conditions` are at most five boolean nodes, ordered by id, and each bit of the
-- 32-bit number `outcomes` is the result for one combination of their values. Equivalent expressions are therefore
-- recognized regardless of their form, and a condition disappears after the control-flow merge that ends its `if`.
local MAX_CONDITIONS = 5
local VARIABLES = { bit.tobit(0xaaaaaaaa), bit.tobit(0xcccccccc), bit.tobit(0xf0f0f0f0), bit.tobit(0xff00ff00),
  bit.tobit(0xffff0000) }

local function get_truth_table(n)
  if not n.conditions then
    n.conditions, n.outcomes = { n }, VARIABLES[1]
  end
  return n.conditions, n.outcomes
end

-- Returns the union of both nodes' conditions. Returns nil if the union has more than MAX_CONDITIONS elements. Also
-- returns nil if a node depends on an iteration of an inner loop: a shared node may list conditions that it does not
-- depend on, and the conditions of an iteration have no value outside of the loop.
local function unite_conditions(a, b)
  if a.varies or b.varies then
    return nil
  end
  local a_conditions, b_conditions, union, i, k = get_truth_table(a), get_truth_table(b), {}, 1, 1
  while a_conditions[i] or b_conditions[k] do
    local lower = not b_conditions[k] and a_conditions[i] or not a_conditions[i] and b_conditions[k]
      or a_conditions[i].id <= b_conditions[k].id and a_conditions[i] or b_conditions[k]
    union[#union + 1] = lower
    i, k = i + (lower == a_conditions[i] and 1 or 0), k + (lower == b_conditions[k] and 1 or 0)
  end
  return #union <= MAX_CONDITIONS and union or nil
end

-- Rewrites a truth table for the conditions `target_conditions`. These must include all conditions that affect the
-- result.
local function expand_table(conditions, outcomes, target_conditions)
  local target_index, is_same = {}, #conditions == #target_conditions
  for i, condition in ipairs(conditions) do
    is_same = is_same and target_conditions[i] == condition
    for k, target_condition in ipairs(target_conditions) do
      if condition == target_condition then target_index[i] = k - 1 end
    end
  end
  if is_same then
    return outcomes
  end
  local out = 0
  for combination = 0, 31 do
    local row = 0
    for i = 1, #conditions do
      if target_index[i] then
        row = bit.bor(row, bit.lshift(bit.band(bit.rshift(combination, target_index[i]), 1), i - 1))
      end
    end
    out = bit.bor(out, bit.lshift(bit.band(bit.rshift(outcomes, row), 1), combination))
  end
  return out
end

local function expand(n, target)
  return expand_table(n.conditions, n.outcomes, target)
end

-- Removes conditions that do not affect the result. Returns the remaining conditions and their truth table.
local function reduce(conditions, outcomes)
  local remaining = {}
  for i, condition in ipairs(conditions) do
    local shift = bit.lshift(1, i - 1)
    if bit.band(bit.bxor(outcomes, bit.rshift(outcomes, shift)), bit.bnot(VARIABLES[i])) ~= 0 then
      remaining[#remaining + 1] = condition
    end
  end
  return remaining, #remaining == #conditions and outcomes or expand_table(conditions, outcomes, remaining)
end

local function format_table_key(conditions, outcomes)
  local ids = {}
  for i, condition in ipairs(conditions) do
    ids[i] = condition.id
  end
  return table.concat(ids, ",") .. ":" .. outcomes
end

-- Returns a node with this truth table: a constant, a single condition or its negation, an existing node, or the
-- negation of an existing node. If there is no such node, calls `create` to create one.
local function create_boolean(conditions, outcomes, create)
  if outcomes == 0 or outcomes == -1 then
    return constant(outcomes == -1)
  end
  conditions, outcomes = reduce(conditions, outcomes)
  if #conditions == 1 then
    return outcomes == VARIABLES[1] and conditions[1] or M.NOT(conditions[1])
  end
  local key = format_table_key(conditions, outcomes)
  local negated = not booleans[key] and booleans[format_table_key(conditions, bit.bnot(outcomes))]
  local n = booleans[key] or negated and M.NOT(negated) or create()
  n.conditions, n.outcomes, booleans[key] = conditions, outcomes, n
  return n
end

-- Returns the negation of a boolean.
---@param a engine.ir.Node
---@return engine.ir.Node
function M.NOT(a)
  if a.op == "const" then
    return constant(not a.v)
  elseif a.op == "not" then
    return a.a
  end
  local n = make_node("not", "bool", a)
  local conditions, outcomes = get_truth_table(a)
  n.conditions, n.outcomes = conditions, bit.bnot(outcomes)
  return n
end
local NOT = M.NOT

-- Simplifies `b` in `a or b`: in x or (not x and y), the `not x` is redundant. If `join` is "and", returns `b`
-- unchanged. `target`: key of the result's truth table.
local function simplify_given(join, a, b, target)
  if b.op ~= "and" or join == "and" then
    return b
  end
  local function is_equivalent(n)
    local conditions = unite_conditions(a, n)
    local result = conditions and bit.bor(expand(a, conditions), expand(n, conditions))
    return conditions and format_table_key(reduce(conditions, result)) == target
  end
  for _, operand in ipairs { b.a, b.b } do
    if is_equivalent(operand) then
      return simplify_given(join, a, operand, target)
    end
  end
  if b.a.op == "and" then
    for _, operand in ipairs { b.a.a, b.a.b } do
      local n = M.AND(operand, b.b)
      if is_equivalent(n) then
        return n
      end
    end
  end
  return b
end

-- Joins two booleans that have no common truth table, after simplifications that depend only on the form of the
-- expressions.
local function join_conditions_as_written(op, a, b)
  if a == NOT(b) then
    return constant(op == "or")
  elseif op == "or" and a.op == "and" and b.op == "and" and a.a == b.a then
    return M.AND(a.a, M.OR(a.b, b.b))
  end
  return make_node(op, "bool", a, b)
end

local function join_conditions(op, a, b)
  local conditions = unite_conditions(a, b)
  if not conditions then
    return join_conditions_as_written(op, a, b)
  end
  local a_outcomes, b_outcomes = expand(a, conditions), expand(b, conditions)
  local outcomes = (op == "and" and bit.band or bit.bor)(a_outcomes, b_outcomes)
  return create_boolean(conditions, outcomes, function()
    local target = format_table_key(reduce(conditions, outcomes))
    b = simplify_given(op, a, b, target)
    a = simplify_given(op, b, a, target)
    return make_node(op, "bool", a, b)
  end)
end

-- Returns the conjunction of two booleans, simplified by their truth tables.
---@param a engine.ir.Node
---@param b engine.ir.Node
---@return engine.ir.Node
function M.AND(a, b)
  if a.op == "const" then
    return a.v and b or a
  elseif b.op == "const" then
    return b.v and a or b
  elseif a == b then
    return a
  end
  return join_conditions("and", a, b)
end
local AND = M.AND

-- Returns the disjunction of two booleans, simplified by their truth tables.
---@param a engine.ir.Node
---@param b engine.ir.Node
---@return engine.ir.Node
function M.OR(a, b)
  if a.op == "const" then
    return a.v and a or b
  elseif b.op == "const" then
    return b.v and b or a
  elseif a == b then
    return a
  end
  return join_conditions("or", a, b)
end
local OR = M.OR

-- Returns a condition that distinguishes rows on path `a` from rows on path `b`: a single condition if one suffices.
---@param a engine.ir.Node
---@param b engine.ir.Node
---@return engine.ir.Node
function M.difference(a, b)
  local conditions = a.op ~= "const" and b.op ~= "const" and unite_conditions(a, b)
  if not conditions then -- without truth tables, compares only the last conditions of the paths
    return a.op == "and" and b.op == "and" and a.a == b.a and a.b == NOT(b.b) and a.b or a
  end
  local a_outcomes, b_outcomes = expand(a, conditions), expand(b, conditions)
  for i, condition in ipairs(conditions) do
    local positive, negative = VARIABLES[i], bit.bnot(VARIABLES[i])
    if bit.band(a_outcomes, negative) == 0 and bit.band(b_outcomes, positive) == 0 then
      return condition
    elseif bit.band(a_outcomes, positive) == 0 and bit.band(b_outcomes, negative) == 0 then
      return NOT(condition)
    end
  end
  return a
end

local function get_common_type(a, b)
  if a.t == "bool" and b.t == "bool" then
    return "bool"
  elseif a.t == "bool" or b.t == "bool" then
    refuse("a value that is a boolean on one path and a number on another")
  elseif a.t == "i32" and b.t == "i32" then
    return "i32"
  end
  return fits_f32(a) and fits_f32(b) and "f32" or "f64"
end

-- Selects `a` where `c` holds, else `b`, in the narrowest type that represents both. Both must be booleans, or both
-- must be numbers.
local function choose(c, a, b)
  local t = get_common_type(a, b)
  if t == "bool" then
    return OR(AND(c, a), AND(NOT(c), b))
  end
  local lo = a.lo and b.lo and math.min(a.lo, b.lo)
  local hi = a.hi and b.hi and math.max(a.hi, b.hi)
  return make_node("choose", t, widen(a, t), widen(b, t), c, nil, lo or nil, hi or nil)
end

-- Selects `a` where `c` holds, else `b`, according to the current typing rules.
---@param c engine.ir.Node
---@param a engine.ir.Node
---@param b engine.ir.Node
---@return engine.ir.Node
function M.choose(c, a, b)
  if a == b then
    return a
  elseif c.op == "const" then
    return c.v and a or b
  end
  return (rules and a.t ~= "bool" and b.t ~= "bool" and rules.choose or choose)(c, a, b)
end

-- Marks the index of an enum choice. Single precision must not choose between two constant indices as between numbers,
-- whose type depends on their use.
---@param n engine.ir.Node
---@return engine.ir.Node
function M.mark_index(n)
  return rules and rules.convert_to_kind(n, "whole") or n
end

local f32_bits = ffi.new("union { float f; int32_t i; }")

-- Returns the largest f32 below v. v must not be an f32.
local function get_f32_below(v)
  f32_bits.f = v
  if f32_bits.f > v then
    if f32_bits.f == 0 then
      f32_bits.i = MIN + 1 -- the largest f32 below 0
    else
      f32_bits.i = f32_bits.i + (f32_bits.f > 0 and -1 or 1)
    end
  end
  return f32_bits.f
end

-- Returns a constant: the largest 32-bit integer that is not larger than v. Returns nil if every 32-bit integer is
-- larger.
local function round_down_to_i32(v)
  local integer = math.floor(math.max(math.min(v, MAX + 0.5), MIN - 0.5))
  return integer >= MIN and make_node("const", "i32", nil, nil, nil, integer, integer, integer) or nil
end

-- Compares an f32 or integer value with a constant that its type cannot represent by comparing it with the next lower
-- value of that type, which gives the same result. Returns nil if the operands do not have this form.
local function compare_with_next(op, a, b)
  local c, operand = a.op == "const" and a or b, a.op == "const" and b or a
  local is_integer = operand.t == "i32"
  if c.op ~= "const" or c.t == "i32" or c.v ~= c.v or operand.op == "const" or not (is_integer or fits_f32(operand))
    or not is_integer and is_f32(c.v) or is_integer and c.v % 1 == 0 and math.abs(c.v) <= MAX then
    return nil
  elseif op == "eq" then
    return constant(false)
  end
  local lower_bound = not is_integer and make_node("const", "f32", nil, nil, nil, get_f32_below(c.v))
    or is_integer and round_down_to_i32(c.v)
  if not lower_bound then
    return constant(c == a)
  end
  operand = widen(operand, lower_bound.t)
  return c == a and make_node("lt", "bool", lower_bound, operand) or make_node("le", "bool", operand, lower_bound)
end

local IS_NEAR = { add = true, sub = true, mul = true }

-- Returns an operand of a comparison as f32, and true if the conversion rounded it. Only the result of a single
-- operation on f32 values may be rounded; returns nil for every other operand that is not f32.
local function narrow_operand(n)
  local source = n.source
  if fits_f32(n) then
    return widen(n, "f32"), false
  elseif source and IS_NEAR[source[1]] and fits_f32(source[2]) and fits_f32(source[3]) then
    return make_node(source[1], "f32", widen(source[2], "f32"), widen(source[3], "f32")), true
  end
end

-- Records the f32 operands of a comparison between an f32 and the result of one operation on f32 values. Rounding is
-- monotonic, so comparing in f32 gives the same result unless the rounded operands are equal.
local function record_narrow_operands(n, a, b)
  local narrow_a, was_rounded = narrow_operand(a)
  local narrow_b, was_b_rounded = narrow_operand(b)
  if narrow_a and narrow_b and was_rounded ~= was_b_rounded then
    n.near = { a = narrow_a, b = narrow_b, wide = was_rounded and a or b }
  end
  return n
end

-- Returns x and y if the comparison has the form x - y < 0, which can be replaced by x < y: a nonzero difference is
-- never rounded to 0. For two equal infinities the difference is NaN and both forms are false; `<=` and `==` would
-- differ there, so they are replaced for integers only. Returns nil for other comparisons.
local function match_difference(op, a, b)
  local zero, source = is_const(a, 0) and a or is_const(b, 0) and b, (is_const(a, 0) and b or a).source
  if not zero or not source or source[1] ~= "sub" then
    return nil
  end
  local minuend, subtrahend = source[2], source[3]
  if not (minuend.t == "i32" and subtrahend.t == "i32" or op == "lt" and fits_f32(minuend)
    and fits_f32(subtrahend)) then
    return nil
  end
  if zero == a then
    return subtrahend, minuend
  end
  return minuend, subtrahend
end

-- Splits a sum or difference of an integer and an integer constant. Returns the integer, the constant, and the sign
-- with which the integer enters the result (1 or -1); nil for any other node.
local function split_sum(n)
  local source = n.source
  local a, b = source and source[2], source and source[3]
  if not b or source[1] ~= "add" and source[1] ~= "sub" or a.t ~= "i32" or b.t ~= "i32" then
    return nil
  elseif b.op == "const" then
    return a, source[1] == "add" and b.v or -b.v, 1
  elseif a.op == "const" then
    return b, a.v, source[1] == "add" and 1 or -1
  end
end

-- Moves the constant of a sum or difference to the other side: x + 1 < 1000 becomes x < 999 in 32 bits. f64 represents
-- all these numbers exactly. Returns nil if the operands do not have this form.
local function move_constant(a, b)
  local limit = a.op == "const" and a or b
  local integer, addend, sign = split_sum(limit == a and b or a)
  if not integer or limit.op ~= "const" or limit.v % 1 ~= 0 or math.abs(limit.v) > 2 ^ 52 then
    return nil
  end
  local new_limit = constant(sign * (limit.v - addend))
  if (limit == a) == (sign == 1) then
    return new_limit, integer
  end
  return integer, new_limit
end

local compare

-- Compares two numbers, or two booleans for equality. op: "lt", "le" or "eq".
---@param op string
---@param a any
---@param b any
---@return engine.ir.Node
function M.compare(op, a, b)
  if type(a) == "boolean" then a = constant(a) end
  if type(b) == "boolean" then b = constant(b) end
  local are_booleans = type(a) == "table" and type(b) == "table" and a.t == "bool" and b.t == "bool"
  if op == "eq" and are_booleans then
    return OR(AND(a, b), AND(NOT(a), NOT(b)))
  end
  a, b = number(a), number(b)
  if a.op == "const" and b.op == "const" then
    if op == "lt" then
      return constant(a.v < b.v)
    end
    return constant(op == "le" and a.v <= b.v or op == "eq" and a.v == b.v)
  end
  return (rules and rules.compare or M.compare_numbers)(op, a, b)
end
compare = M.compare

-- Compares two numbers in the narrowest type that represents both; the result does not depend on the type.
---@param op string
---@param a engine.ir.Node
---@param b engine.ir.Node
---@return engine.ir.Node
function M.compare_numbers(op, a, b)
  if a == b and a.t == "i32" then
    return constant(op ~= "lt")
  end
  local left, right = match_difference(op, a, b)
  if not left then
    left, right = move_constant(a, b)
  end
  if left then
    return M.compare_numbers(op, left, right)
  end
  local t = get_common_type(a, b)
  local n = compare_with_next(op, a, b) or make_node(op, "bool", widen(a, t), widen(b, t))
  return t == "f64" and not n.near and n.op == op and record_narrow_operands(n, a, b) or n
end

-- --- numbers

-- Returns the range of an operation's result, or nil if an operand is not an integer or the result may be fractional or
-- -0.
local function range(op, a, b)
  if not (a.t == "i32" and b.t == "i32") then
    return nil
  elseif op == "add" then
    return a.lo + b.lo, a.hi + b.hi
  elseif op == "sub" then
    if a == b then
      return 0, 0
    end
    return a.lo - b.hi, a.hi - b.lo
  elseif op == "mul" then
    local p, q, r, s = a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi
    local lo, hi = math.min(p, q, r, s), math.max(p, q, r, s)
    if lo > 0 or hi < 0 or a.lo >= 0 and b.lo >= 0 then
      return lo, hi
    end
  end
  return nil
end

local FOLD = {
  add = function(a, b) return a + b end, sub = function(a, b) return a - b end,
  mul = function(a, b) return a * b end, div = function(a, b) return a / b end,
}

local function arithmetic(op, a, b)
  local lo, hi = range(op, a, b)
  if lo and lo >= MIN and hi <= MAX then
    return make_node(op, "i32", a, b, nil, nil, lo, hi)
  end
  local n = make_node(op, "f64", widen(a, "f64"), widen(b, "f64"))
  n.source = { op, a, b }
  return n
end

-- Returns a sum, difference, product or quotient. op: "add", "sub", "mul" or "div".
---@param op string
---@param a any
---@param b any
---@return engine.ir.Node
function M.arithmetic(op, a, b)
  a, b = number(a), number(b)
  if a.op == "const" and b.op == "const" then
    return constant(FOLD[op](a.v, b.v))
  end
  return (rules and rules.arithmetic or arithmetic)(op, a, b)
end

local UNARY = { neg = function(a) return -a end, floor = math.floor, ceil = math.ceil, abs = math.abs,
  sqrt = math.sqrt }

local function unary(op, a)
  if a.t == "i32" and (op == "floor" or op == "ceil") then
    return a
  elseif op == "abs" and a.t == "i32" and a.lo > MIN then
    return make_node("abs", "i32", a, nil, nil, nil, a.lo > 0 and a.lo or a.hi < 0 and -a.hi or 0, math.max(-a.lo,
      a.hi))
  elseif a.t == "f32" and op ~= "sqrt" then
    return make_node(op, "f32", a)
  end
  local n = make_node(op, "f64", widen(a, "f64"))
  n.source = { op, a }
  return n
end

-- Applies an operation to one number. op: "floor", "ceil", "abs", "sqrt" or "neg".
---@param op string
---@param a any
---@return engine.ir.Node
function M.unary(op, a)
  a = number(a)
  if a.op == "const" and UNARY[op] then
    return constant(UNARY[op](a.v))
  end
  return (rules and rules.unary or unary)(op, a)
end

-- Returns a if a > b (for min: a < b), else b. This also defines the result for NaN (design/0016).
---@param op string
---@param a any
---@param b any
---@return engine.ir.Node
function M.extreme(op, a, b)
  a, b = number(a), number(b)
  return M.choose(op == "max" and compare("lt", b, a) or compare("lt", a, b), a, b)
end

local function modulo(a, b)
  if a.t == "i32" and b.op == "const" and b.t == "i32" and b.v > 0 and b.v < MAX then
    return make_node("modulo", "i32", a, b, nil, nil, 0, b.v - 1)
  end
  return arithmetic("sub", a, arithmetic("mul", unary("floor", arithmetic("div", a, b)), b))
end

-- Calculates a - floor(a / b) * b, like LuaJIT's `%`.
---@param a any
---@param b any
---@return engine.ir.Node
function M.modulo(a, b)
  a, b = number(a), number(b)
  if a.op == "const" and b.op == "const" then
    return constant(a.v % b.v)
  end
  return (rules and rules.modulo or modulo)(a, b)
end

-- Converts a number to a 32-bit integer like LuaJIT's bit library: rounded, modulo 2^32. If the number may be 2^51 or
-- more in magnitude, calls `guard(bad, v)` with the condition under which it is; `guard` may return a replacement for
-- v.
---@param v any
---@param guard fun(bad: engine.ir.Node, v: engine.ir.Node): engine.ir.Node?
---@return engine.ir.Node
function M.word(v, guard)
  v = number(v)
  local source = v.source
  if v.t == "i32" then
    return v
  elseif v.op == "const" and v.v % 1 == 0 and math.abs(v.v) < 2 ^ 51 then
    local low = v.v % 2 ^ 32
    return constant(low >= 2 ^ 31 and low - 2 ^ 32 or low)
  elseif source and source[3] and source[1] ~= "div" and source[2].t == "i32" and source[3].t == "i32" then
    local largest = math.max(-source[2].lo, source[2].hi)
    local other_largest = math.max(-source[3].lo, source[3].hi)
    if (source[1] == "mul" and largest * other_largest or largest + other_largest) < 2 ^ 51 then
      return make_node("wrap_" .. source[1], "i32", source[2], source[3], nil, nil, MIN, MAX)
    end
  end
  v = widen(v, "f64")
  local is_in_range = AND(M.compare_numbers("lt", constant(-2 ^ 51), v), M.compare_numbers("lt", v, constant(2 ^ 51)))
  v = guard(NOT(is_in_range), v) or v
  return make_node("word", "i32", v, nil, nil, nil, MIN, MAX)
end

local BITS = { ["and"] = bit.band, ["or"] = bit.bor, xor = bit.bxor, shl = bit.lshift, lshr = bit.rshift,
  ashr = bit.arshift, rol = bit.rol, ror = bit.ror }

-- Applies an operation of the bit library. op: "and", "or", "xor", "shl", "lshr", "ashr", "rol" or "ror". Constants
-- must be folded here, not by LLVM: if LLVM 15 finds the 0 in `c < 0 and 0 or c` itself and c was widened, it emits
-- `c <= 0 and 0 or c`, which differs for -0.
---@param op string
---@param a engine.ir.Node
---@param b engine.ir.Node
---@return engine.ir.Node
function M.bits(op, a, b)
  if is_const(a) and is_const(b) then
    return constant(BITS[op](a.v, b.v))
  elseif op == "xor" and a == b or op == "and" and (is_const(a, 0) or is_const(b, 0))
    or op ~= "or" and op ~= "xor" and is_const(a, 0) then
    return constant(0)
  elseif is_const(a, 0) and b.op ~= "const" then -- 0 or b, 0 xor b
    return b
  end
  return make_node("bit_" .. op, "i32", a, b, nil, nil, MIN, MAX)
end

-- Returns the node of a call to a function of base/exact_math.h. `function_index`: index of the function in
-- base/exact_math_arrays.h.
---@param function_index integer
---@param a any
---@param b? any
---@return engine.ir.Node
function M.exact(function_index, a, b)
  a, b = number(a), b and number(b) or nil
  if rules then
    return rules.exact(function_index, a, b)
  end
  return make_node("exact", "f64", widen(a, "f64"), b and widen(b, "f64") or nil, nil, function_index)
end

-- The operations in double precision, independent of the typing rules that M.select_rules has selected.
M.double = { arithmetic = arithmetic, choose = choose, modulo = modulo, unary = unary }

-- --- columns

-- Returns a node that loads a column's value in the current row. Refuses field types that compiled code cannot
-- load.
---@param key string
---@param field engine.Field
---@return engine.ir.Node
function M.load(key, field)
  local field_range = M.INTEGERS[field.type]
  if field_range then
    return make_node("load", "i32", nil, nil, nil, key, field_range[1], field_range[2])
  elseif field.type == "string" or field.type == "asset" or field.type == "entity" then -- these types are stored as ids
    return make_node("load", "i32", nil, nil, nil, key, MIN, MAX)
  elseif field.type == "u32" then
    local n = make_node("load", "f64", nil, nil, nil, key)
    n.kind = "whole"
    return n
  elseif field.type == "f32" or field.type == "f64" or field.type == "bool" then
    return make_node("load", field.type, nil, nil, nil, key)
  end
  refuse("%s, a field of type %s", key, field.type)
end

-- Returns a node that loads a column's value at an arbitrary row. Row -1 stands for a missing row: the node then loads
-- row 0, and its result must not be used. `present` is the condition under which the result may be used. If it is
-- given, a vector loads nothing unless one of its rows meets the condition.
---@param key string
---@param field engine.Field
---@param row engine.ir.Node
---@param present? engine.ir.Node
---@return engine.ir.Node
function M.gather(key, field, row, present)
  local prototype = M.load(key, field)
  local valid_row = row.t == "i32" and row.lo >= 0 and row or M.extreme("max", row, constant(0))
  local n = make_node("gather", prototype.t, valid_row, nil, present, key, prototype.lo, prototype.hi)
  n.kind = prototype.kind
  return n
end

-- Converts a number to f32, as a store to an f32 column does.
---@param v engine.ir.Node
---@return engine.ir.Node
local function convert_to_f32(v)
  local source = v.source
  if fits_f32(v) then
    return widen(v, "f32")
  elseif v.kept then
    return v.kept
  end
  -- One f64 operation on f32 operands, rounded to f32, equals the f32 operation: f64 has 53 >= 2 * 24 + 2 bits.
  if source and source[1] ~= "floor" and source[1] ~= "ceil" and fits_f32(source[2])
    and (not source[3] or fits_f32(source[3])) then
    v.kept = make_node(source[1], "f32", widen(source[2], "f32"), source[3] and widen(source[3], "f32") or nil)
  elseif v.op == "const" then
    f32_buffer[0] = v.v
    v.kept = make_node("const", "f32", nil, nil, nil, f32_buffer[0])
  elseif v.op == "widen" and v.a.t == "f32" then
    v.kept = v.a
  -- Chooses between the converted operands. If both must be rounded, rounds the result once.
  elseif v.op == "choose" then
    local a, b = convert_to_f32(v.a), convert_to_f32(v.b)
    v.kept = (a.op ~= "round" or b.op ~= "round") and (a == b and a or choose(v.c, a, b)) or nil
  end
  v.kept = v.kept or make_node("round", "f32", widen(v, "f64"))
  return v.kept
end

M.as_f32 = convert_to_f32

-- Converts a value to the type of a column. If a value may not fit, calls `guard(bad)` with the condition under which
-- it does not.
---@param field engine.Field
---@param v any
---@param key string
---@param guard fun(bad: engine.ir.Node)
---@return engine.ir.Node
function M.convert_for_store(field, v, key, guard)
  if field.type == "bool" then
    v = type(v) == "boolean" and constant(v) or v
    if not (type(v) == "table" and v.t == "bool") then
      refuse("a value for %s that is not a boolean", key)
    end
    return v
  end
  v = number(v)
  if field.type == "enum" or field.type == "string" then -- enum indices and string ids are always in range
    return v
  elseif field.type == "f64" then
    return widen(v, "f64")
  elseif field.type == "f32" then
    return convert_to_f32(v)
  end
  local field_range = M.INTEGERS[field.type]
  if not field_range then
    refuse("a write to %s, a field of type %s", key, field.type)
  end
  local min_valid = field.min_valid and field.min_valid > field_range[1] and field.min_valid
  if v.t == "i32" and v.lo >= (min_valid or field_range[1]) and v.hi <= field_range[2] then
    return v
  end
  local low = min_valid and compare("le", min_valid, v) or compare("lt", field_range[1] - 1, v)
  guard(NOT(AND(low, compare("lt", v, field_range[2] + 1))))
  return v.t == "i32" and v or make_node("whole", "i32", widen(v, "f64"), nil, nil, field.type, field_range[1],
    field_range[2])
end

return M

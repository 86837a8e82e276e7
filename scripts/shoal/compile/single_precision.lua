-- Typing rules for single precision (design/0016): the result type of each operation on row values, where ir.lua, like
-- Lua, calculates in f64. A value has one of four kinds:
--
--   f32    an f32 column, or a result calculated with an f32 value: each operation is rounded to f32
--   whole  an integer: an integer column, an id, a row number, a row count, world.tick, a loop counter or a result of
--          bit.*; exact, and converted to f32 when combined with f32
--   f64    an f64 column, the result of arithmetic on a whole value and a whole or free value, or a result calculated
--          with an f64 value
--   free   a value whose type depends on its use: constants, dt, world.time, locals assigned before the loop, fields of
--          singletons that rows only read, and results calculated from these alone. Combined with f32, it becomes f32;
--          otherwise it is calculated in f64, as in Lua. Two free values are compared in f64, so that a singleton's
--          integer does not equal the next one.
local need = ...
local abi = need("base/abi")
local ir = need("compile/ir")
local constant, make, widen = ir.constant, ir.make, ir.widen
local NOT, AND = ir.NOT, ir.AND
local double = ir.double

---@class engine.single
local M = {}

-- Returns the kind of a number. A node without a kind gets the default kind for its operator and type.
---@param n engine.ir.Node
---@return "f32"|"whole"|"f64"|"free"
local function get_kind(n)
  n.kind = n.kind or (n.op == "const" and "free" or n.t == "i32" and "whole" or n.t)
  return n.kind
end
M.get_kind = get_kind

-- Returns a node with this value and kind. A node that already has a different kind is wrapped in a `keep` node, as is
-- a constant unless `kind` is "free".
---@param n engine.ir.Node
---@param kind string
---@return engine.ir.Node
function M.convert_to_kind(n, kind)
  if n.op == "const" and kind ~= "free" or n.op ~= "const" and n.kind ~= nil and n.kind ~= kind then
    local lo, hi = n.lo, n.hi
    n = make("keep", n.t, n, nil, nil, kind)
    n.lo, n.hi = lo, hi
  end
  n.kind = n.op ~= "const" and kind or n.kind
  return n
end
local convert_to_kind = M.convert_to_kind

-- Returns true for a 32-bit integer constant or a choice between such constants.
local function is_whole_constant(n)
  local operation = n.parts
  return n.op == "const" and n.v % 1 == 0 and math.abs(n.v) < 2 ^ 31
    or operation ~= nil and operation.op == "choose" and is_whole_constant(operation.a)
    and is_whole_constant(operation.b)
end

local f32_buffer = abi.ffi.new("float[1]")

-- Returns true for a constant that f32 represents exactly, or a choice between such constants.
local function is_exact_in_f32(n)
  local operation = n.parts
  f32_buffer[0] = n.op == "const" and n.v or 0
  return n.op == "const" and f32_buffer[0] == n.v
    or operation ~= nil and operation.op == "choose" and is_exact_in_f32(operation.a) and is_exact_in_f32(operation.b)
end

-- Returns the kind in which an operation on two values is calculated. `is_exact`: the operation is a comparison or a
-- choice, which is exact for integers.
local function find_common_kind(a, b, is_exact)
  local a_kind, b_kind = get_kind(a), get_kind(b)
  if a_kind == "f64" or b_kind == "f64" then
    return "f64"
  elseif a_kind == "f32" or b_kind == "f32" then
    return "f32"
  elseif a_kind == "free" and b_kind == "free" then
    return "free"
  end
  local other_operand = a_kind == "whole" and b or a
  return is_exact and (get_kind(other_operand) == "whole" or is_whole_constant(other_operand)) and "whole" or "f64"
end

-- Kinds by rank. M.join returns the kind with the higher rank: the kind of a local that is carried across rows, or
-- across iterations of an inner loop, and is assigned values of both kinds.
local RANK = { free = 1, whole = 2, f32 = 3, f64 = 4 }
---@param x string
---@param y string
---@return string
function M.join(x, y)
  return RANK[x] >= RANK[y] and x or y
end

-- --- conversion to the type of the other operand

local as_single

-- Recalculates in f32 a value that was calculated from free values. `operation`: the operation and its operands.
local function recalculate_in_f32(operation)
  if operation.op == "choose" then
    return make("choose", "f32", as_single(operation.a), as_single(operation.b), operation.c)
  elseif operation.op == "exact" then
    local a, b = widen(as_single(operation.a), "f64"), operation.b and widen(as_single(operation.b), "f64") or nil
    return make("round", "f32", make("exact", "f64", a, b, nil, operation.number))
  end
  return make(operation.op, "f32", as_single(operation.a), operation.b and as_single(operation.b) or nil)
end

-- Converts a number to f32. A free value is recalculated from its operands in f32, instead of being rounded.
---@param n engine.ir.Node
---@return engine.ir.Node
function M.as_single(n)
  if n.op == "const" then
    f32_buffer[0] = n.v
    return make("const", "f32", nil, nil, nil, f32_buffer[0])
  elseif n.t == "f32" then
    return n
  elseif not n.rounded then
    local rounded = n.parts and recalculate_in_f32(n.parts) or get_kind(n) == "f64" and n.t == "f64" and ir.as_f32(n)
      or make("round", "f32", n)
    n.rounded = convert_to_kind(rounded, "f32")
  end
  return n.rounded
end
as_single = M.as_single

-- Converts a number to f64.
---@param n engine.ir.Node
---@return engine.ir.Node
function M.as_double(n)
  return widen(n, "f64")
end

-- Marks the result of an operation on free values as free. `operation`: the operation and its operands, from which
-- as_single can recalculate the value in f32.
local function mark_free(n, operation)
  n = convert_to_kind(n, "free")
  n.parts = n.parts or operation
  return n
end

-- --- operations

function M.arithmetic(op, a, b)
  local kind = find_common_kind(a, b)
  if kind == "f32" then
    return convert_to_kind(make(op, "f32", as_single(a), as_single(b)), "f32")
  elseif kind == "free" then
    return mark_free(make(op, "f64", widen(a, "f64"), widen(b, "f64")), { op = op, a = a, b = b })
  end
  return convert_to_kind(double.arithmetic(op, a, b), "f64")
end

function M.unary(op, a)
  local kind = get_kind(a)
  if kind == "f32" then
    return convert_to_kind(make(op, "f32", a), "f32")
  elseif kind == "free" then
    return mark_free(make(op, "f64", widen(a, "f64")), { op = op, a = a })
  elseif kind == "whole" and (op == "floor" or op == "ceil") then
    return a
  end
  return convert_to_kind(double.unary(op, a), "f64")
end

function M.modulo(a, b)
  local kind = find_common_kind(a, b)
  if kind == "f64" then
    return convert_to_kind(double.modulo(a, b), "f64")
  end
  return ir.arithmetic("sub", a, ir.arithmetic("mul", ir.unary("floor", ir.arithmetic("div", a, b)), b))
end

function M.compare(op, a, b)
  local kind = find_common_kind(a, b, true)
  if kind == "f32" or kind == "free" and is_exact_in_f32(a) and is_exact_in_f32(b) then
    return make(op, "bool", as_single(a), as_single(b))
  end
  return ir.compare_numbers(op, a, b)
end

function M.choose(c, a, b)
  local kind = find_common_kind(a, b, true)
  if kind == "f32" then
    return convert_to_kind(make("choose", "f32", as_single(a), as_single(b), c), kind)
  elseif kind == "free" then
    return mark_free(make("choose", "f64", widen(a, "f64"), widen(b, "f64"), c), { op = "choose", a = a, b = b, c = c })
  elseif a.t == "i32" and b.t == "i32" then
    return convert_to_kind(double.choose(c, a, b), kind)
  end
  return convert_to_kind(make("choose", "f64", widen(a, "f64"), widen(b, "f64"), c), kind)
end

function M.exact(function_index, a, b)
  local kind = b and find_common_kind(a, b) or get_kind(a)
  if kind == "f32" then
    a, b = as_single(a), b and as_single(b)
  end
  local n = make("exact", "f64", widen(a, "f64"), b and widen(b, "f64") or nil, nil, function_index)
  if kind == "f32" then
    return convert_to_kind(make("round", "f32", n), "f32")
  elseif kind == "free" then
    return mark_free(n, { op = "exact", a = a, b = b, number = function_index })
  end
  return convert_to_kind(n, "f64")
end

-- --- replacements for side exits

-- Returns `v` where `bad` is false, else `v` modulo 2^32 (0 for NaN and infinities), for the functions bit.*. `bad`:
-- `v` is 2^51 or more in magnitude, or NaN.
---@param bad engine.ir.Node
---@param v engine.ir.Node f64
---@return engine.ir.Node
function M.remainder(bad, v)
  local remainder = double.arithmetic("sub", v, double.arithmetic("mul",
    double.unary("floor", double.arithmetic("mul", v, constant(2 ^ -32))), constant(2 ^ 32)))
  local is_finite = ir.compare_numbers("lt", double.unary("abs", v), make("const", "f64", nil, nil, nil, math.huge))
  local zero = make("const", "f64", nil, nil, nil, 0)
  return make("choose", "f64", make("choose", "f64", remainder, zero, is_finite), v, bad)
end

-- Converts a number for an integer column: truncates it and clamps it to the field's range; NaN counts as 0. If the
-- number may be out of range, calls `report(bad, value)`, where `bad` is the condition under which a row's number is
-- out of range.
---@param field engine.Field
---@param v engine.ir.Node
---@param report fun(bad: engine.ir.Node, value: engine.ir.Node)
---@return engine.ir.Node
function M.clamped(field, v, report)
  local range = ir.INTEGERS[field.type]
  local low, max = math.max(range[1], field.min_valid or range[1]), range[2]
  if v.t == "i32" and v.lo >= low and v.hi <= max then
    return v
  end
  local wide_value = widen(v, "f64")
  local function f64_constant(x) return make("const", "f64", nil, nil, nil, x) end
  local is_above_minimum = low > range[1] and make("le", "bool", f64_constant(low), wide_value)
    or make("lt", "bool", f64_constant(low - 1), wide_value)
  report(NOT(AND(is_above_minimum, make("lt", "bool", wide_value, f64_constant(max + 1)))), wide_value)
  local without_nan = make("choose", "f64", wide_value, f64_constant(0), make("eq", "bool", wide_value, wide_value))
  local above_minimum = make("choose", "f64", f64_constant(low), without_nan,
    make("lt", "bool", without_nan, f64_constant(low)))
  local clamped = make("choose", "f64", f64_constant(max), above_minimum,
    make("lt", "bool", f64_constant(max), above_minimum))
  return make("whole", "i32", clamped, nil, nil, field.type, low, max)
end

-- Converts a number to the type of a column and returns the value that a later read of the column returns. Numbers that
-- do not fit an integer column are clamped and reported.
---@param field engine.Field
---@param v engine.ir.Node
---@param key string
---@param report fun(bad: engine.ir.Node, value: engine.ir.Node)
---@return engine.ir.Node
function M.convert_for_store(field, v, key, report)
  if field.type == "f32" then
    return convert_to_kind(as_single(v), "f32")
  elseif field.type == "f64" then
    return convert_to_kind(widen(v, "f64"), "f64")
  elseif not ir.INTEGERS[field.type] then
    ir.refuse("a write to %s, a field of type %s", key, field.type)
  end
  return convert_to_kind(M.clamped(field, v, report), "whole")
end

return M

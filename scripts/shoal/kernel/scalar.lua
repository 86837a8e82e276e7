-- A kernel as the loop that it stands for: the same function, called for one row at a time with numbers that know
-- their type and round as kernels do. `--check-kernels` compares with it, bit by bit, and a kernel that is too large
-- for programs runs as it.
--
-- The rules (design/0016): each operation of f32 is rounded to f32; numbers of less than the type's normal size
-- (denormal) are 0 as operands and as results of + - * / sqrt, comparisons and conversions between float types, and
-- stay what they are where they are only passed on (min, max, select, abs, -x); whole numbers are whole in min, max,
-- select and comparisons, and f64 in arithmetic. What has no type where it is recorded has none here: dt, a choice
-- between plain numbers, and what is made of them. So truths of a row are not plain ones either: what `select` gives
-- for them is not what it gives for those that the kernel knows when it is recorded.
local need = ...
local abi = need("base/abi")
local node = need("kernel/node")
local number = need("math/number")
local abs, floor, sqrt = math.abs, math.floor, math.sqrt
local kind_of, is_truth, must_be_truth = node.kind_of, node.is_truth, node.must_be_truth

---@class engine.scalar
---@field functions table<string, function> by the names of shoal.math
local M = {}
-- { kind, value }, of a truth "m32" and a boolean; "num" has no type yet: a number, or { kind, op, a, b } of others
local Scalar = node.Scalar

local function make(kind, v)
  return setmetatable({ kind = kind, value = v }, Scalar)
end

-- --- rounding

local cell = abi.ffi.new("float[1]")

local function to_f32(v)
  cell[0] = v
  return abi.C.columns_read_f32(cell)
end

-- A result below these becomes 0; the first is what still rounds up to a normal number of 24 bits.
local LEAST = { f32 = 2 ^ -126 * (1 - 2 ^ -25), f64 = 2 ^ -1022, i32 = 0 }
local LEAST_OPERAND = { f32 = 2 ^ -126, f64 = 2 ^ -1022, i32 = 0 }

local function flushed(v, least)
  return abs(v) < least and v * 0 or v
end

local function operand(s)
  return flushed(s.value, LEAST_OPERAND[s.kind])
end

local function result(kind, v)
  v = flushed(v, LEAST[kind])
  return make(kind, kind == "f32" and to_f32(v) or v)
end

local function whole(v, least, most)
  if v ~= v then
    return 0
  end
  v = v < least and least or v > most and most or v
  return v < 0 and -floor(-v) + 0 or floor(v)
end

local arithmetic

local function coerce(v, kind)
  local from = kind_of(v)
  if from == "const" then
    return make(kind, kind == "f32" and to_f32(v) or kind == "i32" and whole(v, -2 ^ 31, 2 ^ 31 - 1) or v)
  elseif from == kind then
    return v
  elseif from == "num" and kind == "i32" then
    return coerce(coerce(v, "f64"), kind)
  elseif from == "num" then
    return v.op and arithmetic(v.op, v.a, v.b, kind) or coerce(v.value, kind)
  elseif kind == "i32" then
    return make("i32", whole(operand(v), -2 ^ 31, 2 ^ 31 - 1))
  end
  return result(kind, operand(v))
end

-- --- operations

local CALCULATE = {
  add = function(a, b) return a + b end,
  sub = function(a, b) return a - b end,
  mul = function(a, b) return a * b end,
  div = function(a, b) return a / b end,
}

local function extreme(name, a, b)
  if name == "min" and operand(a) < operand(b) or name == "max" and operand(b) < operand(a) then
    return a
  end
  return b
end

function arithmetic(name, a, b, kind)
  kind = kind or node.meet(a, b, name)
  if kind == "num" then
    return setmetatable({ kind = kind, op = name, a = a, b = b }, Scalar)
  end
  a, b = coerce(a, kind), coerce(b, kind)
  if name == "min" or name == "max" then
    return extreme(name, a, b)
  end
  return result(kind, CALCULATE[name](operand(a), operand(b)))
end

local function typed(v)
  local kind = kind_of(v)
  return (kind == "const" or kind == "num") and coerce(v, "f32") or v
end

-- Of a plain truth or a row's.
local function holds(v)
  if type(v) == "boolean" then
    return v
  end
  must_be_truth(v)
  return v.value
end

local yes, no -- for one run: a script could write into them

local function truth(v)
  return v and yes or no
end

local functions = {}
M.functions = functions

function functions.min(a, b) return arithmetic("min", a, b) end
function functions.max(a, b) return arithmetic("max", a, b) end

function functions.abs(v)
  v = typed(v)
  v = v.kind == "i32" and coerce(v, "f64") or v
  return make(v.kind, abs(v.value))
end

function functions.sqrt(v)
  v = typed(v)
  v = v.kind == "i32" and coerce(v, "f64") or v
  return result(v.kind, sqrt(operand(v)))
end

function functions.floor(v)
  v = typed(v)
  return v.kind == "i32" and v or make(v.kind, floor(operand(v)))
end

-- As in kernel/node.lua: a plain condition leaves numbers without a type as they are.
function functions.select(c, a, b)
  local known, chosen = type(c) == "boolean", b
  if holds(c) then
    chosen = a
  end
  if is_truth(a) and is_truth(b) then
    return known and chosen or not known and truth(holds(chosen))
  end
  local kind = node.meet(a, b)
  if kind ~= "num" then
    return coerce(chosen, kind)
  end
  return not known and type(chosen) == "number" and make(kind, chosen) or chosen
end

local function compared(compare)
  return function(a, b)
    local kind = node.meet(a, b)
    kind = kind == "num" and "f32" or kind
    return truth(compare(operand(coerce(a, kind)), operand(coerce(b, kind))))
  end
end

functions.lt = compared(function(a, b) return a < b end)
functions.le = compared(function(a, b) return a <= b end)
functions.gt = compared(function(a, b) return a > b end)
functions.ge = compared(function(a, b) return a >= b end)
local equal = compared(function(a, b) return a == b end)

function functions.eq(a, b)
  if is_truth(a) or is_truth(b) then
    return truth(holds(a) == holds(b))
  end
  return equal(a, b)
end

-- Both are looked at, whatever the first is.
function functions.all(a, b)
  a, b = holds(a), holds(b)
  return truth(a and b)
end

function functions.any(a, b)
  a, b = holds(a), holds(b)
  return truth(a or b)
end

function functions.not_(a)
  return truth(not holds(a))
end

for name in pairs(CALCULATE) do
  Scalar["__" .. name] = function(a, b)
    return arithmetic(name, a, b)
  end
end

function Scalar.__unm(a)
  if a.kind == "num" then
    return arithmetic("mul", a, -1)
  end
  a = a.kind == "i32" and coerce(a, "f64") or a
  return make(a.kind, -a.value)
end

function Scalar.__mod(a, b)
  return a - functions.floor(a / b) * b
end

function Scalar.__pow(a, b)
  if b == 2 then
    return a * a
  elseif b == 3 then
    return a * a * a
  elseif b == 0.5 then
    return functions.sqrt(a)
  end
  node.refuse(node.POWERS)
end

-- --- columns

local function load_value(field, v)
  if field.type == "bool" then
    return truth(v)
  end
  return make((field.type == "f32" or field.type == "f64") and field.type or "i32", v)
end

local function store_value(field, v)
  local range = number.RANGES[field.type]
  if field.type == "bool" then
    return holds(v)
  elseif range then
    local kind = kind_of(v)
    v = kind == "const" and v or operand(kind == "num" and coerce(v, "f64") or v)
    return whole(v, range[1], range[2])
  end
  return coerce(v, field.type).value
end

-- What the kernel's function gets as `q` for row `row.i` of the query's view.
---@param terms engine.Term[]
---@param view shoal.View
---@param row { i: integer }
---@param component engine.component
---@return table
function M.query(terms, view, row, component)
  yes, no = make("m32", true), make("m32", false)
  local q = {}
  for _, term in ipairs(terms) do
    if term.role == "with" then
      local known = component.by_name[term.name]
      local function fields(prefix, from)
        return setmetatable({}, {
          __index = function(_, name)
            if prefix == "" and known.vectors[name] then
              return fields(name .. ".", from[name])
            end
            return load_value(node.field_of(known, prefix, name), from[name][row.i])
          end,
          __newindex = function(_, name, v)
            from[name][row.i] = store_value(node.field_of(known, prefix, name), v)
          end,
          __metatable = false,
        })
      end
      q[term.name] = fields("", view[term.name])
    end
  end
  return setmetatable(q, { __metatable = false })
end

---@param dt number seconds
---@return table scalar
function M.dt(dt)
  return make("num", to_f32(dt))
end

node.scalar = functions

return M

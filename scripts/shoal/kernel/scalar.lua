-- A kernel as the loop that it stands for: the same function, called for one row at a time with numbers that know
-- their type and round as kernels do. `--check-kernels` compares with it, bit by bit, and a kernel that is too large
-- for programs runs as it.
--
-- The rules (design/0016): each operation of f32 is rounded to f32; numbers of less than the type's normal size
-- (denormal) are 0 as operands and as results of + - * / sqrt, comparisons and conversions between float types, and
-- stay what they are where they are only passed on (min, max, select, abs, -x); whole numbers are whole in min, max,
-- select and comparisons, and f64 in arithmetic.
local need = ...
local abi, node, number = need("abi"), need("kernel/node"), need("number")
local abs, floor, sqrt = math.abs, math.floor, math.sqrt

---@class engine.scalar
---@field functions table<string, function> by the names of shoal.math
local M = {}
-- { kind, value }; "num" is dt and what is made of it and numbers alone: { kind, op, a, b, value }
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
  if type(v) == "number" then
    return make(kind, kind == "f32" and to_f32(v) or kind == "i32" and whole(v, -2 ^ 31, 2 ^ 31 - 1) or v)
  elseif v.kind == kind then
    return v
  elseif v.kind == "num" and kind == "i32" then
    return coerce(coerce(v, "f64"), kind)
  elseif v.kind == "num" then
    if v.op == "dt" then
      return make(kind, kind == "f32" and to_f32(v.value) or v.value)
    end
    return arithmetic(v.op, v.a, v.b, kind)
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
  return (type(v) == "number" or v.kind == "num") and coerce(v, "f32") or v
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

function functions.select(c, a, b)
  if type(a) == "boolean" then
    return c and a or not c and b
  end
  local kind = node.meet(a, b)
  if kind == "num" then
    return c and a or b
  end
  a, b = coerce(a, kind), coerce(b, kind)
  return c and a or b
end

local function compared(compare)
  return function(a, b)
    local kind = node.meet(a, b)
    kind = kind == "num" and "f32" or kind
    return compare(operand(coerce(a, kind)), operand(coerce(b, kind)))
  end
end

functions.lt = compared(function(a, b) return a < b end)
functions.le = compared(function(a, b) return a <= b end)
functions.gt = compared(function(a, b) return a > b end)
functions.ge = compared(function(a, b) return a >= b end)
functions.eq = compared(function(a, b) return a == b end)

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
  end
  return functions.sqrt(a)
end

-- --- columns

local function load_value(field, v)
  if field.type == "bool" then
    return v
  end
  return make((field.type == "f32" or field.type == "f64") and field.type or "i32", v)
end

local function store_value(field, v)
  local range = number.RANGES[field.type]
  if field.type == "bool" then
    return v
  elseif range then
    v = type(v) == "number" and v or operand(v.kind == "num" and coerce(v, "f64") or v)
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
  return setmetatable({ kind = "num", op = "dt", value = to_f32(dt) }, Scalar)
end

node.scalar = functions

return M

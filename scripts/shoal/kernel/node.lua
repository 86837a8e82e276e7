-- The values that a kernel calculates with while it is recorded. A node is one ORC operation, or a leaf: a column, a constant, dt.
-- Nodes are interned: the same calculation twice is one node.
--
-- Types: f32 f64 i32, and truths as masks of all ones, m32 and m64. Columns of 32-bit floats are calculated in f32; i32 with i32
-- stays i32; i32 with fractions, and whatever meets f64, is f64.
local M = { recording = nil } -- recording: { nodes, count } of the kernel that is being recorded, and what trace.lua adds
local Node = {}

local BYTES = { f32 = 4, f64 = 8, i32 = 4, m32 = 4, m64 = 8, i8 = 1, u8 = 1, i16 = 2, u16 = 2, bool = 1 }
M.BYTES = BYTES
M.LOOP_FORM = "; write the loop form: update = function(q, dt) for i = 1, q.count do … end end"

local function refuse(message, ...)
  error("a kernel cannot be recorded: " .. string.format(message, ...) .. M.LOOP_FORM, 0)
end
M.refuse = refuse

local function is_node(v)
  return getmetatable(v) == Node
end
M.is_node = is_node

-- --- making them

local function intern(op, kind, bytes, a, b, extra)
  local recording = M.recording
  if not recording then
    error("a value of a kernel is used after the kernel was recorded", 0)
  end
  local key = table.concat({ op, kind, bytes, a and a.id or "-", b and b.id or "-", extra or "-" }, " ")
  local node = recording.nodes[key]
  if not node then
    recording.count = recording.count + 1
    -- Every field is there, for a missing one asks Node.__index.
    node = setmetatable({ id = recording.count, op = op, kind = kind, bytes = bytes, a = a or false, b = b or false,
      value = extra == nil and false or extra, value_a = false, value_b = false }, Node)
    recording.nodes[key] = node
  end
  return node
end

local function operation(op, kind, a, b)
  return intern(op, kind, BYTES[kind], a, b)
end

local function constant(kind, value)
  return intern("const", kind, BYTES[kind], nil, nil, value)
end

local function describe(v)
  return is_node(v) and "a column's value" or type(v)
end

-- dt and what is made of it and numbers alone has no type until it meets something that has: kind "num".
local function retype(node, kind)
  if node.op == "dt" then
    return intern("dt", kind, BYTES[kind])
  end
  return M.arithmetic(node.op, is_node(node.a) and node.a or node.value_a, is_node(node.b) and node.b or node.value_b, kind)
end

local CONVERT = {
  i32 = { f32 = "convlf", f64 = "convld" }, f32 = { f64 = "convfd", i32 = "convfl" }, f64 = { f32 = "convdf", i32 = "convdl" },
}

local function coerce(v, kind)
  if type(v) == "number" then
    if kind == "i32" and v % 1 ~= 0 then
      v = v < 0 and math.ceil(v) or math.floor(v)
    end
    return constant(kind, v)
  elseif not is_node(v) then
    refuse("a number or a column is expected here, not %s", describe(v))
  elseif v.kind == kind then
    return v
  elseif v.kind == "num" then
    if kind == "i32" then
      return coerce(retype(v, "f64"), "i32")
    end
    return retype(v, kind)
  end
  local op = CONVERT[v.kind] and CONVERT[v.kind][kind]
  if not op then
    refuse("a truth is no number: use shoal.math.select(truth, a, b)")
  end
  return operation(op, kind, v)
end

local function kind_of(v)
  return type(v) == "number" and "const" or is_node(v) and v.kind or refuse("%s cannot be calculated with", describe(v))
end

-- The type in which two values meet.
local function meet(a, b, divides)
  local ka, kb = kind_of(a), kind_of(b)
  if ka == "m32" or ka == "m64" or kb == "m32" or kb == "m64" then
    refuse("a truth is no number: use shoal.math.select(truth, a, b)")
  elseif ka == "f64" or kb == "f64" then
    return "f64"
  elseif ka == "f32" or kb == "f32" then
    return "f32"
  elseif ka == "i32" or kb == "i32" then
    local other = ka == "i32" and b or a
    local whole = kind_of(other) == "i32" or (type(other) == "number" and other % 1 == 0 and math.abs(other) < 2 ^ 31)
    return whole and not divides and "i32" or "f64"
  end
  return "num"
end

local OPS = {
  add = { f32 = "addf", f64 = "addd", i32 = "addl" },
  sub = { f32 = "subf", f64 = "subd", i32 = "subl" },
  mul = { f32 = "mulf", f64 = "muld", i32 = "mulll" },
  div = { f32 = "divf", f64 = "divd" },
  min = { f32 = "minf", f64 = "mind", i32 = "minsl" },
  max = { f32 = "maxf", f64 = "maxd", i32 = "maxsl" },
}

function M.arithmetic(name, a, b, kind)
  kind = kind or meet(a, b, name == "div")
  if kind == "num" then
    local node = intern(name, "num", 4, is_node(a) and a or nil, is_node(b) and b or nil,
      tostring(is_node(a) and "" or a) .. "/" .. tostring(is_node(b) and "" or b))
    node.value_a, node.value_b = not is_node(a) and a, not is_node(b) and b
    return node
  end
  return operation(OPS[name][kind], kind, coerce(a, kind), coerce(b, kind))
end
local arithmetic = M.arithmetic

local function sign_bit(kind)
  return constant(kind, kind == "f64" and "sign64" or "sign32")
end

-- Bits of floats are handled by the operations of integers of that size.
local AND = { [4] = "andl", [8] = "andq" }
local AND_NOT = { [4] = "andnl", [8] = "andnq" } -- (not a) and b
local OR = { [4] = "orl", [8] = "orq" }
local XOR = { [4] = "xorl", [8] = "xorq" }

local function typed(v)
  if kind_of(v) == "num" or kind_of(v) == "const" then
    return coerce(v, "f32")
  end
  return v
end

-- --- masks

local function to_mask(v, bytes)
  if type(v) == "boolean" then
    return constant(bytes == 8 and "m64" or "m32", v and -1 or 0)
  elseif not is_node(v) or (v.kind ~= "m32" and v.kind ~= "m64") then
    refuse("a truth is expected here (a comparison or a bool column), not %s", is_node(v) and "a number" or describe(v))
  elseif v.bytes == bytes then
    return v
  end
  return operation(bytes == 8 and "convslq" or "convql", bytes == 8 and "m64" or "m32", v)
end

local COMPARE = {
  f32 = { eq = "cmpeqf", lt = "cmpltf", le = "cmplef" },
  f64 = { eq = "cmpeqd", lt = "cmpltd", le = "cmpled" },
  i32 = { eq = "cmpeql" },
}

local function compare(name, a, b)
  local kind = meet(a, b)
  if kind == "num" then
    kind = "f32"
  end
  a, b = coerce(a, kind), coerce(b, kind)
  local mask = kind == "f64" and "m64" or "m32"
  if kind == "i32" and name == "lt" then
    return operation("cmpgtsl", mask, b, a)
  elseif kind == "i32" and name == "le" then
    return operation("xorl", mask, operation("cmpgtsl", mask, a, b), constant("m32", -1))
  end
  return operation(COMPARE[kind][name], mask, a, b)
end

local function combine(op, a, b)
  local bytes = (is_node(a) and a.bytes == 8) and (is_node(b) and b.bytes == 8) and 8 or 4
  return operation(op[bytes], bytes == 8 and "m64" or "m32", to_mask(a, bytes), to_mask(b, bytes))
end

local function select_masks(c, a, b)
  local mask = to_mask(c, 4)
  return operation("orl", "m32", operation("andl", "m32", mask, to_mask(a, 4)), operation("andnl", "m32", mask, to_mask(b, 4)))
end

local function is_truth(v)
  return type(v) == "boolean" or (is_node(v) and (v.kind == "m32" or v.kind == "m64"))
end

-- --- what shoal.math does with nodes; plain numbers never come here

local record = {}

function record.min(a, b)
  return arithmetic("min", a, b)
end

function record.max(a, b)
  return arithmetic("max", a, b)
end

function record.abs(v)
  v = typed(v)
  if v.kind == "i32" then
    return operation("absl", "i32", v)
  end
  return operation(AND_NOT[v.bytes], v.kind, sign_bit(v.kind), v)
end

function record.sqrt(v)
  v = typed(v)
  if v.kind == "i32" then
    v = coerce(v, "f64")
  end
  return operation(v.kind == "f64" and "sqrtd" or "sqrtf", v.kind, v)
end

function record.select(c, a, b)
  if type(c) == "boolean" then
    if c then
      return a
    end
    return b
  elseif is_truth(a) and is_truth(b) then
    return select_masks(c, a, b)
  end
  local kind = meet(a, b)
  if kind == "num" then
    kind = "f32"
  end
  a, b = coerce(a, kind), coerce(b, kind)
  local mask = to_mask(c, a.bytes)
  return operation(OR[a.bytes], kind, operation(AND[a.bytes], kind, mask, a), operation(AND_NOT[a.bytes], kind, mask, b))
end

-- Adding and taking away 2^23 (2^52) of the number's sign rounds it to a whole number; where that went up, one too much.
function record.floor(v)
  v = typed(v)
  if v.kind == "i32" then
    return v
  end
  local big = constant(v.kind, v.kind == "f64" and 2 ^ 52 or 2 ^ 23)
  local sign = operation(AND[v.bytes], v.kind, sign_bit(v.kind), v)
  local magic = operation(OR[v.bytes], v.kind, sign, big)
  local rounded = arithmetic("sub", arithmetic("add", v, magic), magic)
  local down = arithmetic("sub", rounded, record.select(compare("lt", v, rounded), constant(v.kind, 1), constant(v.kind, 0)))
  return record.select(compare("lt", record.abs(v), big), down, v)
end

function record.lt(a, b) return compare("lt", a, b) end
function record.le(a, b) return compare("le", a, b) end
function record.gt(a, b) return compare("lt", b, a) end
function record.ge(a, b) return compare("le", b, a) end

function record.eq(a, b)
  if is_truth(a) or is_truth(b) then
    return record.not_(combine(XOR, a, b))
  end
  return compare("eq", a, b)
end

function record.all(a, b) return combine(AND, a, b) end
function record.any(a, b) return combine(OR, a, b) end

function record.not_(a)
  local bytes = is_node(a) and a.bytes or 4
  return operation(XOR[bytes], bytes == 8 and "m64" or "m32", to_mask(a, bytes), to_mask(true, bytes))
end

M.record = record

function Node.__add(a, b) return arithmetic("add", a, b) end
function Node.__sub(a, b) return arithmetic("sub", a, b) end
function Node.__mul(a, b) return arithmetic("mul", a, b) end
function Node.__div(a, b) return arithmetic("div", a, b) end

function Node.__unm(a)
  if a.kind == "num" then
    return arithmetic("mul", a, -1)
  elseif a.kind == "i32" then
    return arithmetic("sub", 0, a)
  end
  return operation(XOR[a.bytes], a.kind, a, sign_bit(a.kind))
end

-- As Lua's: a - floor(a / b) * b. Of whole numbers through f64, which holds all of them.
function Node.__mod(a, b)
  local kind = meet(a, b)
  if kind == "i32" then
    local wide_a, wide_b = coerce(a, "f64"), coerce(b, "f64")
    local whole = record.floor(arithmetic("div", wide_a, wide_b))
    return coerce(arithmetic("sub", wide_a, arithmetic("mul", whole, wide_b)), "i32")
  end
  return arithmetic("sub", a, arithmetic("mul", record.floor(arithmetic("div", a, b)), b))
end

function Node.__pow(a, b)
  if b == 2 then
    return a * a
  elseif b == 3 then
    return a * a * a
  elseif b == 0.5 then
    return record.sqrt(a)
  end
  refuse("powers other than 2, 3 and 0.5")
end

local function no_branch()
  refuse("comparing columns with < or <= decides once, not for each row: use shoal.math.lt, le, gt, ge, eq and select")
end
Node.__lt, Node.__le = no_branch, no_branch
Node.__concat = function() refuse("texts") end
Node.__call = function() refuse("a column's value is not a function") end
Node.__index = function(_, key) refuse("a column has no %s and takes no index: a kernel speaks of one row", tostring(key)) end
Node.__newindex = function() refuse("a column's value cannot be indexed") end

M.intern, M.operation, M.constant, M.coerce, M.to_mask = intern, operation, constant, coerce, to_mask

return M

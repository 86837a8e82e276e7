-- The values that a kernel calculates with while it is recorded. A node is one operation of engine/native/lanes.c, or a
-- leaf: a column, a constant, dt. Nodes are interned: the same calculation twice is one node.
--
-- A script never has a node. It gets an empty table with a metatable that it cannot see, and which node that stands for
-- is kept beside it, for as long as that kernel is recorded. So whatever a script does with it, only what is made here
-- comes to C, which looks at it once more (engine/native/kernel.c).
--
-- Types: f32 f64 i32, and truths as masks of all ones, m32 and m64. Columns of 32-bit floats are calculated in f32.
-- Whole numbers stay whole where they are chosen and compared; sums and products of them are f64, which holds all of
-- them, as is whatever meets f64.
local need = ...
local report = need("base/report")

---@class engine.Node one operation, or a leaf
---@field id integer from 1
---@field op string "addf", "column", "const", "dt"
---@field kind string "f32", "f64", "i32", "m32", "m64", an integer column's type, or "num" for what has no type yet
---@field bytes integer of an element: 1, 2, 4 or 8
---@field a engine.Node|false
---@field b engine.Node|false
---@field value any of a column its key "transform.x", of a constant its number
---@field value_a number|false an operand of "num" that is a number
---@field value_b number|false
---@field shown table|false what scripts get for it

---@class engine.Recording
---@field nodes table<string, engine.Node>
---@field count integer
---@field of table<table, engine.Node> what scripts got → the node
---@field too_large? boolean
---@field columns table<string, engine.TracedColumn>
---@field written table<string, any> "transform.x" → what it reads as now
---@field stored table<string, engine.Node> "transform.x" → what is stored
---@field order string[] the keys that are written, the first written first

---@class engine.node
---@field recording engine.Recording of the kernel that is being recorded; nil at other times
---@field scalar table<string, function> kernel/scalar.lua's functions
---@field record table<string, function> by the names of shoal.math
---@field BYTES table<string, integer>
local M = {}
local Node = {}
---@type table<string, any>
local Shown = { __metatable = false }      -- the metatable of what scripts get
---@type table<string, any>
M.Scalar = { __metatable = false } -- the numbers of kernel/scalar.lua, which have types as well
local metatable_of = debug.getmetatable

local BYTES = { f32 = 4, f64 = 8, i32 = 4, m32 = 4, m64 = 8, i8 = 1, u8 = 1, i16 = 2, u16 = 2, bool = 1 }
M.BYTES = BYTES
M.MOST_NODES = 4096 -- of a kernel; one with more is not recorded to its end
M.TOO_LARGE = {}    -- thrown then
M.POWERS = "powers other than 2, 3 and 0.5"
M.LOOP_FORM = "; write the loop form: update = function(q, dt) for i = 1, q.count do … end end"

---@param message string
---@param ... any
local function refuse(message, ...)
  error("a kernel cannot be recorded: " .. string.format(message, ...) .. M.LOOP_FORM, 0)
end
M.refuse = refuse

local function is_scalar(v)
  return metatable_of(v) == M.Scalar
end

---@param v any
---@return boolean
local function is_node(v)
  return metatable_of(v) == Node or is_scalar(v)
end
M.is_node = is_node

-- Of what a script has: is it a value of a kernel?
---@param v any
---@return boolean
function M.is_symbol(v)
  local metatable = metatable_of(v)
  return metatable == Shown or metatable == M.Scalar
end

-- What a script gave, as it is calculated with here.
---@param v any
---@return any an engine.Node, or `v`
local function taken(v)
  if metatable_of(v) ~= Shown then
    return v
  elseif not M.recording then
    error("a value of a kernel is used after the kernel was recorded", 0)
  end
  return M.recording.of[v] or refuse("a value of another kernel is used in it")
end
M.taken = taken

-- What a script gets.
---@param v any
---@return any
local function shown(v)
  if metatable_of(v) ~= Node then
    return v
  elseif not v.shown then
    v.shown = setmetatable({}, Shown)
    M.recording.of[v.shown] = v
  end
  return v.shown
end
M.shown = shown

-- --- making them

---@param op string
---@param kind string
---@param bytes integer
---@param a? engine.Node
---@param b? engine.Node
---@param extra? any what else tells it from others: a constant's number, a column's key
---@return engine.Node
local function intern(op, kind, bytes, a, b, extra)
  local recording = M.recording
  local more = type(extra) == "number" and ("%.17g"):format(extra) or extra or "-"
  local key = table.concat({ op, kind, bytes, a and a.id or "-", b and b.id or "-", more }, " ")
  local node = recording.nodes[key]
  if not node then
    if recording.count == M.MOST_NODES then
      recording.too_large = true
      error(M.TOO_LARGE, 0)
    end
    recording.count = recording.count + 1
    node = setmetatable({ id = recording.count, op = op, kind = kind, bytes = bytes, a = a or false, b = b or false,
      value = extra == nil and false or extra, value_a = false, value_b = false,
      condition = false, shown = false }, Node)
    recording.nodes[key] = node
  end
  return node
end

---@param op string
---@param kind string
---@param a? engine.Node
---@param b? engine.Node
---@return engine.Node
local function operation(op, kind, a, b)
  return intern(op, kind, BYTES[kind], a, b)
end

---@param kind string
---@param value number|string "sign32" and "sign64": that bit alone
---@return engine.Node
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
  elseif node.op == "select" then
    return M.choose(node.condition, is_node(node.a) and node.a or node.value_a,
      is_node(node.b) and node.b or node.value_b, kind)
  end
  return M.arithmetic(node.op, is_node(node.a) and node.a or node.value_a, is_node(node.b) and node.b or node.value_b,
    kind)
end

local CONVERT = {
  i32 = { f32 = "convlf", f64 = "convld" }, f32 = { f64 = "convfd" }, f64 = { f32 = "convdf" },
}

---@param v any a node, a scalar or a number
---@param kind string
---@return engine.Node
local function coerce(v, kind)
  if kind == "i32" and (type(v) == "number" or is_node(v) and v.kind ~= kind) then
    return M.whole(v, -2147483648, 2147483647)
  elseif type(v) == "number" then
    return constant(kind, v)
  elseif not is_node(v) then
    refuse("a number or a column is expected here, not %s", describe(v))
  elseif v.kind == kind then
    return v
  elseif v.kind == "num" then
    return retype(v, kind)
  end
  local op = CONVERT[v.kind] and CONVERT[v.kind][kind]
  if not op then
    refuse("a truth is no number: use shoal.math.select(truth, a, b)")
  end
  return operation(op, kind, v)
end

local IS_MASK = { m32 = true, m64 = true }
local Scalar = M.Scalar

---@param v any
---@return boolean
local function is_truth(v)
  local kind = type(v)
  if kind == "table" then
    local metatable = metatable_of(v)
    return (metatable == Scalar or metatable == Node) and IS_MASK[v.kind] or false
  end
  return kind == "boolean"
end

-- Of what is calculated with: a number's type, "const" of a plain one. (The loop form asks for every operand.)
---@param v any
---@return string
local function kind_of(v)
  if type(v) == "number" then
    return "const"
  end
  local metatable = metatable_of(v)
  local kind = (metatable == Scalar or metatable == Node) and v.kind
  if kind and not IS_MASK[kind] then
    return kind
  elseif is_truth(v) then
    refuse("a truth is no number: use shoal.math.select(truth, a, b)")
  end
  refuse("%s cannot be calculated with", describe(v))
end

local STAYS_WHOLE = { min = true, max = true }

-- The type in which two values meet, in an operation of that name; without one they are compared or chosen from.
---@param a any
---@param b any
---@param name? string
---@return string kind
local function meet(a, b, name)
  local ka, kb = kind_of(a), kind_of(b)
  if ka == "f64" or kb == "f64" then
    return "f64"
  elseif ka == "f32" or kb == "f32" then
    return "f32"
  elseif ka == "i32" or kb == "i32" then
    local other = ka == "i32" and b or a
    local whole = kind_of(other) == "i32" or (type(other) == "number" and other % 1 == 0 and math.abs(other) < 2 ^ 31)
    return whole and (name == nil or STAYS_WHOLE[name]) and "i32" or "f64"
  end
  return "num"
end

local OPS = {
  add = { f32 = "addf", f64 = "addd" },
  sub = { f32 = "subf", f64 = "subd" },
  mul = { f32 = "mulf", f64 = "muld" },
  div = { f32 = "divf", f64 = "divd" },
  min = { i32 = "minsl" },
  max = { i32 = "maxsl" },
}

local function written(v)
  return type(v) == "number" and ("%.17g"):format(v) or ""
end

function M.arithmetic(name, a, b, kind)
  kind = kind or meet(a, b, name)
  if kind == "num" then
    local node = intern(name, "num", 4, is_node(a) and a or nil, is_node(b) and b or nil,
      written(a) .. "/" .. written(b))
    node.value_a, node.value_b = not is_node(a) and a, not is_node(b) and b
    return node
  elseif STAYS_WHOLE[name] and kind ~= "i32" then
    return M.extreme(name, coerce(a, kind), coerce(b, kind))
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

---@param v any
local function must_be_truth(v)
  if not is_truth(v) then
    refuse("a truth is expected here (a comparison or a bool column), not %s", is_node(v) and "a number" or describe(v))
  end
end

---@param v any
---@param bytes integer 4 or 8
---@return engine.Node
local function to_mask(v, bytes)
  must_be_truth(v)
  if type(v) == "boolean" then
    return constant(bytes == 8 and "m64" or "m32", v and -1 or 0)
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
  return operation("orl", "m32", operation("andl", "m32", mask, to_mask(a, 4)),
    operation("andnl", "m32", mask, to_mask(b, 4)))
end

-- --- what shoal.math does with nodes; plain numbers never come here

local record = {}

function record.min(a, b)
  return arithmetic("min", a, b)
end

function record.max(a, b)
  return arithmetic("max", a, b)
end

-- The processor's own minimum and maximum differ for NaN and zeros.
function M.extreme(name, a, b)
  return record.select(name == "min" and compare("lt", a, b) or name == "max" and compare("lt", b, a), a, b)
end

-- As a whole number that a field from `least` to `most` keeps: NaN is 0.
---@param v any
---@param least number
---@param most number
---@return engine.Node
function M.whole(v, least, most)
  if type(v) == "number" then
    v = v ~= v and 0 or v < least and least or v > most and most or v
    return constant("i32", v < 0 and -math.floor(-v) or math.floor(v))
  elseif is_node(v) and v.kind == "i32" then
    v = least > -2147483648 and operation("maxsl", "i32", v, constant("i32", least)) or v
    return most < 2147483647 and operation("minsl", "i32", v, constant("i32", most)) or v
  end
  local wide = coerce(v, "f64")
  local clean = operation(AND[8], "f64", compare("eq", wide, wide), wide)
  local low = operation("maxd", "f64", clean, constant("f64", least))
  return operation("convdl", "i32", operation("mind", "f64", low, constant("f64", most)))
end

local function typed_fraction(v)
  v = typed(v)
  return v.kind == "i32" and coerce(v, "f64") or v
end

function record.abs(v)
  v = typed_fraction(v)
  return operation(AND_NOT[v.bytes], v.kind, sign_bit(v.kind), v)
end

function record.sqrt(v)
  v = typed_fraction(v)
  return operation(v.kind == "f64" and "sqrtd" or "sqrtf", v.kind, v)
end

function M.choose(c, a, b, kind)
  a, b = coerce(a, kind), coerce(b, kind)
  local mask = to_mask(c, a.bytes)
  return operation(OR[a.bytes], kind, operation(AND[a.bytes], kind, mask, a),
    operation(AND_NOT[a.bytes], kind, mask, b))
end

-- Of the type in which the two meet, whichever is chosen and whether it was known which; of numbers and dt none yet.
function record.select(c, a, b)
  local chosen = b
  if type(c) == "boolean" and c then
    chosen = a
  end
  if is_truth(a) and is_truth(b) then
    return type(c) == "boolean" and chosen or type(c) ~= "boolean" and select_masks(c, a, b)
  end
  local kind = meet(a, b)
  if type(c) == "boolean" then
    return kind == "num" and chosen or coerce(chosen, kind)
  elseif kind ~= "num" then
    return M.choose(c, a, b, kind)
  end
  local node = intern("select", "num", 4, is_node(a) and a or nil, is_node(b) and b or nil,
    to_mask(c, 4).id .. ":" .. written(a) .. "/" .. written(b))
  node.value_a, node.value_b, node.condition = not is_node(a) and a, not is_node(b) and b, c
  return node
end

-- Adding and taking away 2^23 (2^52) of the number's sign rounds it to a whole number; where that went up, one too
-- much. The sign stays.
function record.floor(v)
  v = typed(v)
  if v.kind == "i32" then
    return v
  end
  local big = constant(v.kind, v.kind == "f64" and 2 ^ 52 or 2 ^ 23)
  local sign = operation(AND[v.bytes], v.kind, sign_bit(v.kind), v)
  local magic = operation(OR[v.bytes], v.kind, sign, big)
  local rounded = arithmetic("sub", arithmetic("add", v, magic), magic)
  local one_too_much = record.select(compare("lt", v, rounded), constant(v.kind, 1), constant(v.kind, 0))
  local down = arithmetic("sub", rounded, one_too_much)
  return record.select(compare("lt", record.abs(v), big), operation(OR[v.bytes], v.kind, sign, down), v)
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

M.record = {}
for name, f in pairs(record) do
  M.record[name] = function(a, b, c)
    if is_scalar(a) or is_scalar(b) or is_scalar(c) then
      return M.scalar[name](a, b, c)
    end
    return shown(f(taken(a), taken(b), taken(c)))
  end
end

local function unary(a)
  if a.kind == "num" then
    return arithmetic("mul", a, -1)
  end
  a = typed_fraction(a)
  return operation(XOR[a.bytes], a.kind, a, sign_bit(a.kind))
end

-- As Lua's: a - floor(a / b) * b.
local function modulo(a, b)
  return arithmetic("sub", a, arithmetic("mul", record.floor(arithmetic("div", a, b)), b))
end

local function power(a, b)
  if b == 2 then
    return arithmetic("mul", a, a)
  elseif b == 3 then
    return arithmetic("mul", arithmetic("mul", a, a), a)
  elseif b == 0.5 then
    return record.sqrt(a)
  end
  refuse(M.POWERS)
end

for _, name in ipairs { "add", "sub", "mul", "div" } do
  Shown["__" .. name] = function(a, b)
    return shown(arithmetic(name, taken(a), taken(b)))
  end
end
function Shown.__unm(a) return shown(unary(taken(a))) end
function Shown.__mod(a, b) return shown(modulo(taken(a), taken(b))) end
function Shown.__pow(a, b) return shown(power(taken(a), taken(b))) end

local function no_branch()
  refuse("comparing columns with < or <= decides once, not for each row: use shoal.math.lt, le, gt, ge, eq and select")
end
Shown.__lt, Shown.__le = no_branch, no_branch
Shown.__concat = function() refuse("texts") end
Shown.__call = function() refuse("a column's value is not a function") end
Shown.__index = function(_, key)
  refuse("a column has no %s and takes no index: a kernel speaks of one row", tostring(key))
end
Shown.__newindex = function() refuse("a column's value cannot be indexed") end

-- Of a name that is not there: no loop form would know it either.
---@param message string
---@param ... any
function M.refuse_name(message, ...)
  error("a kernel cannot be recorded: " .. report.format(message, ...), 0)
end

local ALIAS = { r = "x", g = "y", b = "z", a = "w" }

local function no_field(known, prefix, name)
  local names, whole = {}, prefix == "" and known.vectors[name]
  if whole then
    M.refuse_name("%s.%s is written by its parts: q.%s = …", known.name, name, known.name .. "." .. whole[1].name)
  end
  for _, item in ipairs(prefix == "" and known.writable or known.vectors[prefix:sub(1, -2)]) do
    names[#names + 1] = item.name or item.base or item.field.name
  end
  M.refuse_name("%s has no field %s%s: there are %s", known.name, prefix .. report.plain(name),
    report.aside(prefix .. report.plain(name), names), #names > 0 and table.concat(names, ", ") or "none (it is a tag)")
end

-- The field that a kernel names. `prefix` is "" or the vector's name with a dot.
---@param known engine.Component
---@param prefix string
---@param name any
---@return engine.Field
function M.field_of(known, prefix, name)
  local field = type(name) == "string"
    and (known.by_name[prefix .. name] or prefix ~= "" and known.by_name[prefix .. (ALIAS[name] or "")])
  return field and not field.hidden and field or no_field(known, prefix, name)
end

M.intern, M.operation, M.constant, M.coerce, M.to_mask, M.meet = intern, operation, constant, coerce, to_mask, meet
M.kind_of, M.is_truth, M.must_be_truth = kind_of, is_truth, must_be_truth

return M

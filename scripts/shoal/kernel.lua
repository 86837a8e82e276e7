-- Kernels: `kernel = function(q, dt)` is called once with symbolic columns; what it calculates is recorded and compiled to SIMD by
-- ORC (engine/script/kernel.c). Recording happens while the game is loaded, so what cannot be recorded is a load error; compiling when
-- the world knows the columns.
--
-- A node is one ORC operation (or a leaf: a column, a constant, dt). Nodes are interned: the same calculation twice is one node.
-- Types: f32 f64 i32, and truths as masks of all ones, m32 and m64. Columns of 32-bit floats are calculated in f32; i32 with i32
-- stays i32; i32 with fractions, and whatever meets f64, is f64.
local need, native = ...
local abi, component, report = need("abi"), need("component"), need("report")
local C = abi.C
local bit = require("bit")

local M = { made = {} } -- made: the C kernels of this VM
local Node = {}
local recording -- what the kernel being recorded has: { nodes, columns, writes, written, who }

local BYTES = { f32 = 4, f64 = 8, i32 = 4, m32 = 4, m64 = 8, i8 = 1, u8 = 1, i16 = 2, u16 = 2, bool = 1 }
local LOOP_FORM = "; write the loop form: update = function(q, dt) for i = 1, q.count do … end end"

local function refuse(message, ...)
  error("a kernel cannot be recorded: " .. string.format(message, ...) .. LOOP_FORM, 0)
end

local function is_node(v)
  return getmetatable(v) == Node
end
M.is_node = is_node

-- --- nodes

local function intern(op, kind, bytes, a, b, extra)
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

-- --- columns

local function read_column(known, field)
  local key = known.name .. "." .. field.name
  local bytes = BYTES[field.type]
  if not bytes or field.type == "m32" then
    refuse("%s is of type %s: kernels know f32, f64, i32, the smaller integers and bool", key, field.type)
  end
  local leaf = intern("column", field.type, bytes, nil, nil, key)
  recording.columns[key] = { known = known, field = field, leaf = leaf }
  if field.type == "bool" then
    local word = intern("convubw", "i16", 2, leaf)
    return operation("subl", "m32", constant("i32", 0), operation("convuwl", "i32", word))
  elseif field.type == "i8" or field.type == "u8" then
    local word = intern(field.type == "i8" and "convsbw" or "convubw", "i16", 2, leaf)
    return operation(field.type == "i8" and "convswl" or "convuwl", "i32", word)
  elseif field.type == "i16" or field.type == "u16" then
    return operation(field.type == "i16" and "convswl" or "convuwl", "i32", leaf)
  end
  return leaf
end

local function narrow(field, v)
  if field.type == "bool" then
    local word = intern("convlw", "i16", 2, operation("andl", "i32", to_mask(v, 4), constant("i32", 1)))
    return intern("convwb", "bool", 1, word)
  elseif field.type == "i8" or field.type == "u8" then
    return intern("convwb", field.type, 1, intern("convlw", "i16", 2, coerce(v, "i32")))
  elseif field.type == "i16" or field.type == "u16" then
    return intern("convlw", field.type, 2, coerce(v, "i32"))
  end
  return coerce(v, field.type)
end

local function get(known, field)
  local key = known.name .. "." .. field.name
  local now = recording.written[key]
  if now ~= nil then
    return now
  end
  return read_column(known, field)
end

-- A kernel reads what it has written as the loop would: rounded to the column's type.
local function set(known, field, v)
  local key = known.name .. "." .. field.name
  if field.read_only then
    refuse("%s is kept by the host", key)
  elseif not is_node(v) and type(v) ~= "number" and type(v) ~= "boolean" then
    refuse("%s takes a number or a truth, not %s", key, type(v))
  end
  read_column(known, field)
  local stored = narrow(field, v)
  if recording.written[key] == nil then
    table.insert(recording.order, key)
  end
  recording.stored[key] = stored
  local small = field.type ~= "f32" and field.type ~= "f64" and field.type ~= "i32"
  recording.written[key] = small and (field.type == "bool" and to_mask(v, 4) or coerce(v, "i32")) or stored
end

local ALIAS = { r = "x", g = "y", b = "z", a = "w" }

local function symbolic_fields(known, prefix)
  return setmetatable({}, {
    __index = function(_, name)
      local field = known.by_name[prefix .. name] or (prefix ~= "" and known.by_name[prefix .. (ALIAS[name] or "")])
      if field and not field.hidden then
        return get(known, field)
      elseif prefix == "" and known.vectors[name] then
        return symbolic_fields(known, name .. ".")
      end
      refuse("%s has no field %s%s", known.name, prefix, tostring(name))
    end,
    __newindex = function(_, name, v)
      local field = known.by_name[prefix .. name] or (prefix ~= "" and known.by_name[prefix .. (ALIAS[name] or "")])
      if not field or field.hidden then
        refuse("%s has no field %s%s", known.name, prefix, tostring(name))
      end
      set(known, field, v)
    end,
  })
end

local function symbolic_query(terms)
  local view = {}
  for _, term in ipairs(terms) do
    if term.role == "with" then
      view[term.name] = symbolic_fields(component.by_name[term.name], "")
    end
  end
  return setmetatable(view, {
    __index = function(_, name)
      if name == "entity" or name == "count" or name == "has" then
        refuse("q.%s has no place in a kernel", name)
      end
      refuse("the query has no component %s that every row has", tostring(name))
    end,
    __newindex = function() refuse("write fields: q.transform.x = …") end,
  })
end

-- --- branches: `if`, `and`, `or`, `==` would decide once for all rows, silently. They show in the bytecode.

local LAST_TEST = 15 -- comparisons and tests are the first opcodes of LuaJIT 2.1

local function check_branches(fn, seen, who)
  if seen[fn] then
    return
  end
  seen[fn] = true
  local util = require("jit.util")
  local info = util.funcinfo(fn)
  if not info.bytecodes or (debug.getinfo(fn, "S").source or ""):find("^@%[shoal%]") then
    return
  end
  for pc = 1, info.bytecodes - 1 do
    local instruction = util.funcbc(fn, pc)
    if instruction and bit.band(instruction, 0xff) <= LAST_TEST then
      local line = util.funcinfo(fn, pc).currentline
      error({ line = line, message = "a kernel cannot be recorded: if, and, or, not and == decide once, not for each row: use "
        .. "shoal.math.select and lt, le, gt, ge, eq, all, any, not_" .. LOOP_FORM }, 0)
    end
  end
  for i = 1, info.upvalues do
    local _, v = debug.getupvalue(fn, i)
    if type(v) == "function" then
      check_branches(v, seen, who)
    end
  end
end

-- --- recording

-- → { writes = { { column, value }, … }, columns }, nodes only. Throws a text or { message, line }.
function M.trace(fn, terms)
  check_branches(fn, {})
  recording = { nodes = {}, count = 0, columns = {}, written = {}, stored = {}, order = {} }
  local dt = intern("dt", "num", 4)
  local good, problem = pcall(fn, symbolic_query(terms), dt)
  local made = recording
  if good then
    good, problem = pcall(function()
      if #made.order == 0 then
        refuse("it writes nothing")
      end
    end)
  end
  if not good then
    recording = nil
    if type(problem) == "string" and not problem:find("a kernel cannot be recorded", 1, true) then
      problem = problem:gsub("^([^:]+:%d+: )", "%1a kernel cannot be recorded: ") .. LOOP_FORM
    end
    error(problem, 0)
  end
  local writes = {}
  for _, key in ipairs(made.order) do
    local column, v = made.columns[key], made.stored[key]
    if v.op == "column" and v ~= column.leaf then
      v = operation(({ [1] = "copyb", [2] = "copyw", [4] = "copyl", [8] = "copyq" })[v.bytes], v.kind, v) -- may be written itself
    end
    if v ~= column.leaf then
      writes[#writes + 1] = { key = key, column = column, value = v }
    end
  end
  recording = nil
  return { writes = writes, columns = made.columns }
end

-- --- planning: from nodes to a list of operations and stores, cut into programs within ORC's limits

local function is_leaf(node)
  return node.op == "column" or node.op == "const" or node.op == "dt"
end

-- Leaves are visited every time, operations once.
local function walk(node, done, visit)
  if not node or done[node] then
    return
  end
  done[node] = not is_leaf(node) or nil
  walk(node.a, done, visit)
  walk(node.b, done, visit)
  visit(node)
end

local function reads_column(node, key, emitted)
  local found = false
  walk(node, setmetatable({}, { __index = emitted }), function(n)
    found = found or (n.op == "column" and n.value == key)
  end)
  return found
end

-- Stores go as early as nobody still needs the old value; those that wait for one another go last.
local function linear(trace)
  local items, emitted, left = {}, {}, {}
  for i, write in ipairs(trace.writes) do
    left[i] = write
  end
  local function emit(write)
    walk(write.value, emitted, function(node)
      if not is_leaf(node) then
        items[#items + 1] = { node = node }
      end
    end)
  end
  local function store(write)
    items[#items + 1] = { store = write, value = write.value }
  end
  while #left > 0 do
    local chosen
    for i, write in ipairs(left) do
      local wanted = false
      for k, other in ipairs(left) do
        wanted = wanted or (k ~= i and reads_column(other.value, write.key, emitted))
      end
      if not wanted then
        chosen = i
        break
      end
    end
    if chosen then
      local write = table.remove(left, chosen)
      emit(write)
      store(write)
    else
      for _, write in ipairs(left) do
        emit(write)
      end
      for _, write in ipairs(left) do
        store(write)
      end
      left = {}
    end
  end
  return items
end

local function operands(item)
  if item.store then
    return { item.value }
  end
  local a, b = item.node.a, item.node.b
  return { a or b or nil, a and b or nil }
end

-- What items[from..to] would be as one program.
local function segment(items, from, to, last_use)
  local stored, defined, columns, inputs, constants = {}, {}, {}, {}, {}
  local out = { stores = {}, columns = {}, inputs = {}, outputs = {}, constants = {}, temporaries = 0 }
  local alive, peak = 0, 0
  for i = from, to do
    local item = items[i]
    if item.store then
      stored[item.store.key] = true
      out.stores[#out.stores + 1] = item.store
    end
    for _, node in pairs(operands(item)) do
      if node.op == "column" then
        columns[node.value] = node
      elseif node.op == "const" and not constants[node] then
        constants[node] = true
        out.constants[#out.constants + 1] = node
      elseif not is_leaf(node) and not defined[node] and not inputs[node] then
        inputs[node] = true
        out.inputs[#out.inputs + 1] = node
      end
      if defined[node] and last_use[node] == i then
        alive = alive - 1
      end
    end
    if item.node then
      defined[item.node] = true
      alive = alive + 1
      peak = math.max(peak, alive)
    end
  end
  for i = from, to do
    local node = items[i].node
    if node and last_use[node] > to then
      out.outputs[#out.outputs + 1] = node
    end
  end
  local sources = #out.inputs
  local names = {}
  for key in pairs(columns) do
    names[#names + 1] = key
  end
  table.sort(names)
  for _, key in ipairs(names) do
    if not stored[key] then
      sources = sources + 1
    end
    out.columns[#out.columns + 1] = key
  end
  out.stored = stored
  out.fits = sources <= 8 and #out.stores + #out.outputs <= 4 and #out.constants <= 8 and peak <= 8 and sources + peak <= 14
  return out
end

local function cut(items)
  local last_use = {}
  for i, item in ipairs(items) do
    for _, node in pairs(operands(item)) do
      last_use[node] = i
    end
  end
  local segments, from = {}, 1
  while from <= #items do
    local best
    for to = from, math.min(#items, from + 100) do
      local candidate = segment(items, from, to, last_use)
      if candidate.fits then
        best = { to = to, candidate = candidate }
      end
    end
    best = best or { to = from, candidate = segment(items, from, from, last_use) }
    best.candidate.from, best.candidate.to = from, best.to
    segments[#segments + 1] = best.candidate
    from = best.to + 1
  end
  return segments, last_use
end

-- --- building

local SIGNS = { sign32 = -2 ^ 31, sign64 = -2 ^ 63 }

local function constant_variable(kernel, node)
  local special = SIGNS[node.value]
  local is_float = not special and (node.kind == "f32" or node.kind == "f64")
  return C.kernel_constant(kernel, node.bytes, is_float, special or node.value)
end

-- Temporaries of a program are reused when nobody needs them any more: ORC has 16.
local function new_pool(kernel)
  local free = {}
  return {
    take = function(bytes)
      local list = free[bytes]
      if list and #list > 0 then
        return table.remove(list)
      end
      return C.kernel_temporary(kernel, bytes)
    end,
    give = function(bytes, variable)
      free[bytes] = free[bytes] or {}
      table.insert(free[bytes], variable)
    end,
  }
end

local COPY = { [1] = "copyb", [2] = "copyw", [4] = "copyl", [8] = "copyq" }

local function build_program(kernel, trace, items, part, last_use, slots)
  C.kernel_begin(kernel)
  local variables, pool = {}, new_pool(kernel)
  local destinations = {}
  for _, write in ipairs(part.stores) do
    destinations[write.key] = C.kernel_use(kernel, slots[write.key], true)
  end
  for _, node in ipairs(part.outputs) do
    slots[node] = C.kernel_scratch(kernel, node.bytes)
    destinations[node] = C.kernel_use(kernel, slots[node], true)
  end
  for _, key in ipairs(part.columns) do
    variables[trace.columns[key].leaf] = destinations[key] or C.kernel_use(kernel, slots[key], false)
  end
  for _, node in ipairs(part.inputs) do
    variables[node] = C.kernel_use(kernel, slots[node], false)
  end
  for _, node in ipairs(part.constants) do
    variables[node] = constant_variable(kernel, node)
  end
  local function variable_of(node)
    if node and node.op == "dt" then
      return C.kernel_dt(kernel, node.bytes)
    end
    return node and variables[node] or 0
  end
  local mine = {}
  for i = part.from, part.to do
    local item = items[i]
    if item.store then
      C.kernel_op(kernel, COPY[item.value.bytes], destinations[item.store.key], variable_of(item.value), 0)
    else
      local node = item.node
      local a, b = variable_of(node.a), variable_of(node.b)
      local to = pool.take(node.bytes)
      C.kernel_op(kernel, node.op, to, a, b)
      variables[node], mine[node] = to, true
      if destinations[node] then
        C.kernel_op(kernel, COPY[node.bytes], destinations[node], to, 0)
      end
    end
    for _, node in pairs(operands(item)) do
      if mine[node] and last_use[node] == i then
        pool.give(node.bytes, variables[node])
        mine[node] = nil
      end
    end
  end
  return C.kernel_compile(kernel)
end

-- trace (M.trace) → the C kernel over an interned query, and whether all of it became machine code. The caller destroys it.
function M.build(trace, query)
  local kernel = C.kernel_create(query)
  local slots, written = {}, {}
  for _, write in ipairs(trace.writes) do
    written[write.key] = true
  end
  local names = {}
  for key in pairs(trace.columns) do
    names[#names + 1] = key
  end
  table.sort(names)
  for _, key in ipairs(names) do
    local column = trace.columns[key]
    slots[key] = C.kernel_column(kernel, column.known.id, column.field.column, BYTES[column.field.type], written[key] == true)
  end
  local items = linear(trace)
  local segments, last_use = cut(items)
  local compiled = true
  for _, part in ipairs(segments) do
    compiled = build_program(kernel, trace, items, part, last_use, slots) and compiled
  end
  return kernel, compiled, #segments
end

-- --- running, and the check against the loop form

-- One row at a time through the same function, with plain numbers: what the kernel must agree with.
local function scalar_query(trace, terms, view, row)
  local q = {}
  for _, term in ipairs(terms) do
    if term.role == "with" then
      local known, columns = component.by_name[term.name], view[term.name]
      local function fields(prefix, from)
        return setmetatable({}, {
          __index = function(_, name)
            if prefix == "" and known.vectors[name] then
              return fields(name .. ".", from[name])
            end
            return from[name][row.i]
          end,
          __newindex = function(_, name, v)
            from[name][row.i] = v
          end,
        })
      end
      q[term.name] = fields("", columns)
    end
  end
  return q
end

local function column_of(view, write)
  local known, name = write.column.known, write.column.field.name
  local base, axis = name:match("^(.-)%.(%a)$")
  return base and view[known.name][base][axis] or view[known.name][name]
end

local function copy_of(column, count)
  local out = {}
  for i = 1, count do
    out[i] = column[i]
  end
  return out
end

-- f32 against f64: 1e-4 of the value or of 1, whichever is more.
local function differ(a, b)
  if type(a) ~= "number" then
    return a ~= b
  end
  return math.abs(a - b) > 1e-4 * math.max(1, math.abs(a), math.abs(b)) and not (a ~= a and b ~= b)
end

local function checked_run(system, run, dt)
  local view, trace = system.record.view, system.trace
  local count, row = view.count, { i = 1 }
  local before, wanted = {}, {}
  for i, write in ipairs(trace.writes) do
    before[i] = copy_of(column_of(view, write), count)
  end
  local q = scalar_query(trace, system.terms, view, row)
  for i = 1, count do
    row.i = i
    system.declaration.kernel(q, dt)
  end
  for i, write in ipairs(trace.writes) do
    local column = column_of(view, write)
    wanted[i] = copy_of(column, count)
    for k = 1, count do
      column[k] = before[i][k]
    end
  end
  run(dt)
  for i, write in ipairs(trace.writes) do
    local column = column_of(view, write)
    for k = 1, count do
      if differ(column[k], wanted[i][k]) then
        report.complain("the kernel of %s differs from its loop form: %s[%d] is %s and not %s", system.name, write.key, k,
          tostring(column[k]), tostring(wanted[i][k]))
      end
    end
  end
end

-- What a system with a kernel does when it runs. Its query is open then.
function M.body(system)
  local compiled, programs
  system.kernel, compiled, programs = M.build(system.trace, system.record.query)
  system.programs = programs
  M.made[#M.made + 1] = system.kernel
  if not compiled then
    need("log").warn("system %s: its kernel has no machine code here and runs slowly", system.name)
  end
  local pointer = system.kernel
  local function run(dt)
    C.kernel_run(pointer, dt)
  end
  if native.check_kernels then
    return function(dt)
      checked_run(system, run, dt)
    end
  end
  return run
end

-- Before the VM is dropped.
function M.release()
  for i, pointer in ipairs(M.made) do
    C.kernel_destroy(pointer)
    M.made[i] = nil
  end
end

return M

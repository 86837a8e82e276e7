-- Recording: a kernel is called once with symbolic columns; what it writes to them is kept as nodes.
local need = ...
local guarded = need("base/guarded")
local report = need("base/report")
local node = need("kernel/node")
local number = need("math/number")
local component = need("schema/component")
local bit = require("bit")
local BYTES, LOOP_FORM = node.BYTES, node.LOOP_FORM
local coerce, field_of, intern, is_node, operation =
  node.coerce, node.field_of, node.intern, node.is_node, node.operation
local refuse, refuse_name, shown, taken, to_mask =
  node.refuse, node.refuse_name, node.shown, node.taken, node.to_mask

---@class engine.TracedColumn
---@field known engine.Component
---@field field engine.Field
---@field leaf engine.Node

---@class engine.Write
---@field key string "transform.x"
---@field column engine.TracedColumn
---@field value engine.Node

---@class engine.Trace
---@field writes engine.Write[]
---@field columns table<string, engine.TracedColumn>
---@field too_large? boolean

---@class engine.trace
local M = {}

-- --- columns

local function read_column(known, field)
  local key = known.name .. "." .. field.name
  local bytes = BYTES[field.type]
  if not bytes or field.type == "m32" then
    refuse("%s is of type %s: kernels know f32, f64, i32, the smaller integers and bool", key, field.type)
  end
  local leaf = intern("column", field.type, bytes, nil, nil, key)
  node.recording.columns[key] = { known = known, field = field, leaf = leaf }
  if field.type == "bool" then
    local word = intern("convubw", "i16", 2, leaf)
    return operation("subl", "m32", node.constant("i32", 0), operation("convuwl", "i32", word))
  elseif field.type == "i8" or field.type == "u8" then
    local word = intern(field.type == "i8" and "convsbw" or "convubw", "i16", 2, leaf)
    return operation(field.type == "i8" and "convswl" or "convuwl", "i32", word)
  elseif field.type == "i16" or field.type == "u16" then
    return operation(field.type == "i16" and "convswl" or "convuwl", "i32", leaf)
  end
  return leaf
end

-- `v` as it is stored, and as a kernel reads it again: rounded to the column's type, as the loop would.
local function narrow(field, v)
  local range = number.RANGES[field.type]
  if field.type == "bool" then
    local word = intern("convlw", "i16", 2, operation("andl", "i32", to_mask(v, 4), node.constant("i32", 1)))
    return intern("convwb", "bool", 1, word), to_mask(v, 4)
  end
  local again = range and node.whole(v, range[1], range[2]) or coerce(v, field.type)
  if field.type == "i8" or field.type == "u8" then
    return intern("convwb", field.type, 1, intern("convlw", "i16", 2, again)), again
  elseif field.type == "i16" or field.type == "u16" then
    return intern("convlw", field.type, 2, again), again
  end
  return again, again
end

local function get(known, field)
  local key = known.name .. "." .. field.name
  local now = node.recording.written[key]
  if now ~= nil then
    return now
  end
  return read_column(known, field)
end

local function set(known, field, v)
  local key = known.name .. "." .. field.name
  v = taken(v)
  if field.read_only then
    refuse("%s is kept by the host", key)
  elseif not is_node(v) and type(v) ~= "number" and type(v) ~= "boolean" then
    refuse("%s takes a number or a truth, not %s", key, type(v))
  end
  read_column(known, field)
  local stored, again = narrow(field, v)
  if node.recording.written[key] == nil then
    table.insert(node.recording.order, key)
  end
  node.recording.stored[key], node.recording.written[key] = stored, again
end

local function symbolic_fields(known, prefix)
  return setmetatable({}, {
    __index = function(_, name)
      if prefix == "" and known.vectors[name] then
        return symbolic_fields(known, name .. ".")
      end
      return shown(get(known, field_of(known, prefix, name)))
    end,
    __newindex = function(_, name, v)
      set(known, field_of(known, prefix, name), v)
    end,
    __metatable = false,
  })
end

local function symbolic_query(terms)
  local view, names = {}, {}
  for _, term in ipairs(terms) do
    if term.role == "with" then
      names[#names + 1] = term.name
      view[term.name] = symbolic_fields(component.by_name[term.name], "")
    end
  end
  return setmetatable(view, {
    __index = function(_, name)
      if name == "entity" or name == "count" or name == "has" then
        refuse("q.%s has no place in a kernel", name)
      end
      local near = report.aside(name, names)
      refuse_name("the query has no component %s that every row has%s: there are %s", report.plain(name),
        near ~= "" and near or component.among(name, "q", names), report.names(names))
    end,
    __newindex = function() refuse("write fields: q.transform.x = …") end,
    __metatable = false,
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
      error({ line = line, message = "a kernel cannot be recorded: if, and, or, not and == decide once, not for each "
        .. "row: use shoal.math.select and lt, le, gt, ge, eq, all, any, not_" .. LOOP_FORM }, 0)
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

-- → { writes = { { column, value }, … }, columns }, nodes only; of a kernel with too many { too_large = true }.
-- Throws a text or { message, line }.
---@param fn function
---@param terms engine.Term[]
---@return engine.Trace
function M.trace(fn, terms)
  check_branches(fn, {})
  node.recording = { nodes = {}, count = 0, of = {}, columns = {}, written = {}, stored = {}, order = {} }
  local made = node.recording
  local good, problem = guarded.call(fn, symbolic_query(terms), shown(intern("dt", "num", 4)))
  if good and #made.order == 0 then
    good, problem = pcall(refuse, "it writes nothing")
  end
  if made.too_large or not good then
    node.recording = nil
    if made.too_large then -- also when the kernel itself has caught that
      return { too_large = true, writes = {}, columns = {} }
    elseif type(problem) == "string" and not problem:find("a kernel cannot be recorded", 1, true) then
      problem = problem:gsub("^([^:]+:%d+: )", "%1a kernel cannot be recorded: ")
        .. (problem:find("bad argument", 1, true) and ": kernels know the functions of shoal.math" or "") .. LOOP_FORM
    end
    error(problem, 0)
  end
  local writes = {}
  for _, key in ipairs(made.order) do
    local column, v = made.columns[key], made.stored[key]
    if v.op == "column" and v ~= column.leaf then
      -- may be written itself
      v = operation(({ [1] = "copyb", [2] = "copyw", [4] = "copyl", [8] = "copyq" })[v.bytes], v.kind, v)
    end
    if v ~= column.leaf then
      writes[#writes + 1] = { key = key, column = column, value = v }
    end
  end
  node.recording = nil
  return { writes = writes, columns = made.columns }
end

return M

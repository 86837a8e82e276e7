-- Recording: a kernel is called once with symbolic columns; what it writes to them is kept as nodes.
local need = ...
local component, node = need("component"), need("kernel/node")
local bit = require("bit")
local BYTES, LOOP_FORM = node.BYTES, node.LOOP_FORM
local coerce, intern, is_node, operation = node.coerce, node.intern, node.is_node, node.operation
local refuse, to_mask = node.refuse, node.to_mask

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

local function narrow(field, v)
  if field.type == "bool" then
    local word = intern("convlw", "i16", 2, operation("andl", "i32", to_mask(v, 4), node.constant("i32", 1)))
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
  local now = node.recording.written[key]
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
  if node.recording.written[key] == nil then
    table.insert(node.recording.order, key)
  end
  node.recording.stored[key] = stored
  local small = field.type ~= "f32" and field.type ~= "f64" and field.type ~= "i32"
  node.recording.written[key] = small and (field.type == "bool" and to_mask(v, 4) or coerce(v, "i32")) or stored
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
  node.recording = { nodes = {}, count = 0, columns = {}, written = {}, stored = {}, order = {} }
  local dt = intern("dt", "num", 4)
  local good, problem = pcall(fn, symbolic_query(terms), dt)
  local made = node.recording
  if good then
    good, problem = pcall(function()
      if #made.order == 0 then
        refuse("it writes nothing")
      end
    end)
  end
  if not good then
    node.recording = nil
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
  node.recording = nil
  return { writes = writes, columns = made.columns }
end

return M

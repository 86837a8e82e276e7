-- Table literals passed directly to a call: world.spawn("rock", { transform = { x = 10 } }). Their keys are known when
-- the file is loaded, so the callee reads known keys only, and the compiler can eliminate the allocation. Otherwise the
-- callee would have to iterate over the table to find unknown keys, which prevents this.
--
-- To this end the template table, which LuaJIT copies for each literal, gets an additional key M.MARK with the number
-- of its shape (its list of keys). If all values are table literals, too, they are not created at all: the function's
-- bytecode is rewritten to store their values in the outer table, under numeric keys. This is limited to literals whose
-- only use is as the second argument of world.spawn or world.emit. A callee without code for a shape restores the table
-- as written (M.restore).
local need, native = ...
local sorted_keys = need("base/sorted_keys")
local util, bit = require("jit.util"), require("bit")

---@class engine.Shape
---@field names string[] in order
---@field parts? table<string, { name: string, at: integer }[]> nested literals by key: their keys, and the
---numeric key of each value in the outer table; nil unless all values are table literals

---@class engine.literal
---@field MARK string key of the shape's number; not a valid field name
---@field shapes engine.Shape[]
local M = { MARK = "[shoal] shape", shapes = {} }

local CALLEES = { spawn = true, emit = true } -- functions of `world` that accept marked literals as second argument

-- --- instructions

local function decode_instruction(f, at)
  local x = util.funcbc(f, at)
  return bit.band(x, 0xff), bit.band(bit.rshift(x, 8), 0xff), bit.rshift(x, 16), bit.rshift(x, 24),
    bit.band(bit.rshift(x, 16), 0xff)
end

local function get_opcode(source, at)
  return (decode_instruction(loadstring(source)(), at))
end

local OP = {
  duplicate = get_opcode("return function() return { a = 1 } end", 1),
  new = get_opcode("return function() return {} end", 1),
  nothing = get_opcode("return function() local a = nil return a end", 1),
  put = get_opcode("return function(t, v) t[1] = v end", 1),
  global = get_opcode("return function() return a end", 1),
  field = get_opcode("return function(t) return t.a end", 1),
  store = get_opcode("return function(t, v) t.a = v end", 1),
  call = get_opcode("return function(f) f(1) end", 3),
  call_last = get_opcode("return function(f) return f(1) end", 3),
  jump = get_opcode("return function(a) if a then return 1 end end", 2),
}
-- Opcodes of stores whose key is not a constant string.
local OTHER_STORES = {
  [get_opcode("return function(t, k, v) t[k] = v end", 1)] = true,
  [OP.put] = true,
}
local STORE_ALL = get_opcode("return function(f) return { f() } end", 4)

-- Comparisons read slots and write none. They have the lowest opcodes; the opcodes 12 and 13 in this range are not
-- comparisons, because they also copy a slot.
local LAST_COMPARISON, COPIES = 15, { [12] = true, [13] = true }

local function is_comparison(code)
  return code <= LAST_COMPARISON and not COPIES[code]
end

local function has_expected_bytecode()
  for source, at in pairs {
    ["return function(a, b) if a < b then return 1 end end"] = 1,
    ["return function(a, b) if a >= b then return 1 end end"] = 1,
    ["return function(a, b) if a == b then return 1 end end"] = 1,
    ["return function(a) if a == 'a' then return 1 end end"] = 1,
    ["return function(a) if a ~= 1 then return 1 end end"] = 1,
    ["return function(a) if a == nil then return 1 end end"] = 1,
    ["return function(a) if a then return 1 end end"] = 1,
    ["return function(a) if not a then return 1 end end"] = 1,
  } do
    if not is_comparison(get_opcode(source, at)) then
      return false
    end
  end
  local copies = get_opcode("return function(a, b) local c = a and b return c end", 1)
  return copies > LAST_COMPARISON or COPIES[copies] or false
end

local known_bytecode = has_expected_bytecode()

-- --- data flow of a table

local function get_constant(f, i)
  return util.funck(f, -1 - i)
end

-- Follows the table that instruction `at` creates in `slot` to its use. Temporaries of the same expression are in
-- higher slots. Returns the index of the instruction that uses the table, the keys stored until then with their source
-- slots, and, if the use is a call, the call's base slot. Returns nil if the table is used in an unsupported way.
local function find_use(f, at, slot, last)
  local names = {}
  for i = at + 1, last do
    local code, a, d, b, c = decode_instruction(f, i)
    if (code == OP.call or code == OP.call_last) and a < slot then
      local arguments = code == OP.call and c or d -- number of arguments + 1
      return i, names, a + arguments >= slot and a or nil
    elseif code == OP.store and b == slot and a ~= slot then
      names[#names + 1] = { name = get_constant(f, c), slot = a, at = i }
    elseif code == OP.store and a == slot and b < slot then
      return i, names
    elseif OTHER_STORES[code] and b == slot or code == STORE_ALL and a == slot + 1 then
      return nil
    elseif a <= slot and not (is_comparison(code) and a ~= slot and d ~= slot)
      and not ((code == OP.store or OTHER_STORES[code]) and b > slot) then
      return nil
    end
  end
end

-- Returns true if an earlier instruction, other than the previous one, can jump to `at`.
local function is_jumped_to(f, at)
  for i = 1, at - 2 do
    local code, _, d = decode_instruction(f, i)
    if code == OP.jump and i + 1 + d - 0x8000 == at then
      return true
    end
  end
  return false
end

-- Returns true if the call with this base slot is a call to world.spawn or world.emit (CALLEES). `before`: index of the
-- instruction that creates its second argument.
local function is_marked_call(f, base, before)
  for i = before - 1, 1, -1 do
    local code, a, _, b, c = decode_instruction(f, i)
    if a == base and not is_comparison(code) then
      if code ~= OP.field or b ~= base or not CALLEES[get_constant(f, c)] or i == 1 or is_jumped_to(f, i + 1) then
        return false
      end
      local code_before, a_before, d_before = decode_instruction(f, i - 1)
      return code_before == OP.global and a_before == base and get_constant(f, d_before) == "world"
    elseif a < base and not is_comparison(code) and code ~= OP.store then
      return false
    end
  end
  return false
end

-- --- marks

local number_of_shape = {}

local function get_shape(names, parts)
  local labels = {}
  for i, name in ipairs(names) do
    labels[i] = ("%q"):format(name)
    for _, item in ipairs(parts and parts[name] or {}) do
      labels[i] = ("%s.%q"):format(labels[i], item.name)
    end
  end
  local key = (parts and "of tables," or "") .. table.concat(labels, ",")
  if not number_of_shape[key] then
    M.shapes[#M.shapes + 1] = { names = names, parts = parts }
    number_of_shape[key] = #M.shapes
  end
  return number_of_shape[key]
end

-- Returns all keys of a table, from its template and from later stores, sorted; nil if a key is not a string.
local function list_names(template, given)
  local all = {}
  for name in next, template do
    all[name] = true
  end
  for _, item in ipairs(given) do
    all[item.name] = true
  end
  for name in next, all do
    if type(name) ~= "string" then
      return nil
    end
  end
  return sorted_keys(all)
end

-- Adds the shape's number to a template. LuaJIT reserves empty hash slots for keys without constant values; these slots
-- are filled temporarily, so that the new key does not occupy one of them.
local function mark_template(template, names, shape)
  local empty = {}
  for _, name in ipairs(names) do
    if template[name] == nil then
      template[name], empty[#empty + 1] = false, name
    end
  end
  template[M.MARK] = shape
  for _, name in ipairs(empty) do
    template[name] = nil
  end
end

-- --- nested tables

local MAX_PLACES = 255 -- maximum value of an 8-bit operand

-- Returns true if no jump from outside enters the instructions after `first`, up to and including `last`.
local function is_closed(f, first, last)
  for i = 1, util.funcinfo(f).bytecodes - 1 do
    local code, _, d = decode_instruction(f, i)
    local to = i + 1 + d - 0x8000
    if code == OP.jump and to > first and to <= last and (i <= first or i > last) then
      return false
    end
  end
  return true
end

-- Finds the table literals that are values of the table created at `from` and used at `to`. Returns { at, used,
-- template, given, names } by key, or nil if some value is not a table literal.
local function find_inner(f, from, to, slot, names, given)
  local inner, count = {}, 0
  for _, item in ipairs(given) do
    if inner[item.name] then
      return nil
    end
    for at = from + 1, item.at - 1 do
      local code, a, d = decode_instruction(f, at)
      local is_empty = code == OP.new and d == 0
      local used, parts
      if a == item.slot and a > slot and (code == OP.duplicate or is_empty) then
        used, parts = find_use(f, at, a, to)
      end
      local template = is_empty and {} or used == item.at and get_constant(f, d) or nil
      local all = used == item.at and is_closed(f, at, used) and list_names(template, parts)
      if all then
        inner[item.name] = { at = at, used = used, template = template, given = parts, names = all }
        count = count + 1
      end
    end
  end
  return count == #names and count > 0 and inner or nil
end

-- Numbers the values of nested tables: the numbers are their keys in the outer table. Returns the names and numbers by
-- key, and the count.
local function number_values(names, inner)
  local parts, count = {}, 0
  for _, name in ipairs(names) do
    parts[name] = {}
    for i, field in ipairs(inner[name].names) do
      count = count + 1
      parts[name][i] = { name = field, at = count }
    end
  end
  return parts, count
end

local function pack_instruction(code, a, b, c)
  return bit.bor(code, bit.lshift(a, 8), bit.lshift(c, 16), bit.lshift(b, 24))
end

-- Rewrites the bytecode of a function: removes the creation of nested tables, and redirects their stores to the table
-- in `slot`. Returns false if the bytecode cannot be rewritten.
local function rewrite(f, slot, inner, parts)
  local before, after = {}, {}
  for i = 0, util.funcinfo(f).bytecodes - 1 do
    before[i + 1] = util.funcbc(f, i)
    after[i + 1] = before[i + 1]
  end
  for name, x in pairs(inner) do
    local instructions = {}
    for _, item in ipairs(parts[name]) do
      instructions[item.name] = item.at
    end
    local _, a = decode_instruction(f, x.at)
    after[x.at + 1], after[x.used + 1] = pack_instruction(OP.nothing, a, 0, 0), pack_instruction(OP.nothing, a, 0, 0)
    for _, item in ipairs(x.given) do
      after[item.at + 1] = pack_instruction(OP.put, item.slot, slot, instructions[item.name])
    end
  end
  return native.rewrite(f, before, after)
end

-- Moves constant values of nested templates to the outer template, and reserves array slots there for the other values.
local function move_constants(template, inner, parts, shape)
  local empty = {}
  for _, name in ipairs(sorted_keys(parts)) do
    for _, item in ipairs(parts[name]) do
      local v = inner[name].template[item.name]
      if v == nil then
        v, empty[#empty + 1] = false, item.at
      end
      template[item.at] = v
    end
  end
  template[M.MARK] = shape
  for _, at in ipairs(empty) do
    template[at] = nil
  end
end

-- Marks a literal that is passed to a function in CALLEES. Instruction `at` creates it in `slot`, instruction `used` is
-- the call.
local function mark_literal(f, at, used, slot, given)
  local _, _, d = decode_instruction(f, at)
  local template = get_constant(f, d)
  local names = list_names(template, given)
  local inner = names and type(f) == "proto" and find_inner(f, at, used, slot, names, given)
  if inner then
    local parts, count = number_values(names, inner)
    if count <= MAX_PLACES and rewrite(f, slot, inner, parts) then
      move_constants(template, inner, parts, get_shape(names, parts))
    end
  elseif names then
    mark_template(template, names, get_shape(names))
  end
end

local function search_function(f)
  local last = util.funcinfo(f).bytecodes - 1
  for at = 1, last do
    local code, a = decode_instruction(f, at)
    if code == OP.duplicate then
      local used, given, base = find_use(f, at, a, last)
      if used and base and a == base + 3 and is_marked_call(f, base, at) then
        mark_literal(f, at, used, a, given)
      end
    end
  end
  for i = 1, util.funcinfo(f).gcconsts do
    local child = util.funck(f, -i)
    if type(child) == "proto" then
      search_function(child)
    end
  end
end

-- Marks the literals of a file, in its main chunk and in all functions, before the file runs.
---@param chunk function
---@param text string its source
function M.mark_all(chunk, text)
  if known_bytecode and (text:find("world.spawn", 1, true) or text:find("world.emit", 1, true)) then
    search_function(chunk)
  end
end

-- Restores a marked literal to the table as written; any other value is returned unchanged.
---@param values any
---@return any
function M.restore(values)
  local number = type(values) == "table" and rawget(values, M.MARK)
  if not number then
    return values
  end
  local shape = M.shapes[number]
  values[M.MARK] = nil
  for name, items in next, shape and shape.parts or {} do
    local part = {}
    for _, item in ipairs(items) do
      part[item.name], values[item.at] = values[item.at], nil
    end
    values[name] = part
  end
  return values
end

return M

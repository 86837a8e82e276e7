-- Table literals passed directly to a call: world.spawn("rock", { transform = { x = 10 } }). Their keys are known when
-- the file is loaded, so the callee reads known keys only, and the compiler can eliminate the allocation. Otherwise the
-- callee would have to iterate over the table to find unknown keys, and the allocation would remain.
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
---@field names string[] the keys of the literal, sorted
---@field parts? table<string, { name: string, at: integer }[]> nested literals by key: their keys, and the
---numeric key of each value in the outer table; nil unless all values are table literals
---@field is_statement boolean the literal belongs to a call of world.spawn whose result is unused

---@class engine.literal
---@field MARK string key of the shape's number; not a valid field name
---@field shapes engine.Shape[]
local M = { MARK = "[shoal] shape", shapes = {} }

-- Functions of `world` that accept a marked literal as their second argument. The value is true if the shape depends on
-- whether the call's result is used.
local CALLEES = { spawn = true, emit = false }

-- --- instructions

local function decode_instruction(f, pc)
  local instruction = util.funcbc(f, pc)
  return bit.band(instruction, 0xff), bit.band(bit.rshift(instruction, 8), 0xff), bit.rshift(instruction, 16),
    bit.rshift(instruction, 24),
    bit.band(bit.rshift(instruction, 16), 0xff)
end

local function get_opcode(source, pc)
  return (decode_instruction(loadstring(source)(), pc))
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

local function is_comparison(opcode)
  return opcode <= LAST_COMPARISON and not COPIES[opcode]
end

local function has_expected_bytecode()
  for source, pc in pairs {
    ["return function(a, b) if a < b then return 1 end end"] = 1,
    ["return function(a, b) if a >= b then return 1 end end"] = 1,
    ["return function(a, b) if a == b then return 1 end end"] = 1,
    ["return function(a) if a == 'a' then return 1 end end"] = 1,
    ["return function(a) if a ~= 1 then return 1 end end"] = 1,
    ["return function(a) if a == nil then return 1 end end"] = 1,
    ["return function(a) if a then return 1 end end"] = 1,
    ["return function(a) if not a then return 1 end end"] = 1,
  } do
    if not is_comparison(get_opcode(source, pc)) then
      return false
    end
  end
  local copies = get_opcode("return function(a, b) local c = a and b return c end", 1)
  return copies > LAST_COMPARISON or COPIES[copies] or false
end

local is_bytecode_supported = has_expected_bytecode()

-- --- data flow of a table

local function get_constant(f, i)
  return util.funck(f, -1 - i)
end

-- Follows the table that instruction `pc` creates in `slot` to its use. Temporaries of the same expression are in
-- higher slots. Returns the index of the instruction that uses the table, the keys stored until then with their source
-- slots, and, if the use is a call, the call's base slot. Returns nil if the table is used in an unsupported way.
local function find_use(f, pc, slot, last_pc)
  local stores = {}
  for i = pc + 1, last_pc do
    local opcode, a, d, b, c = decode_instruction(f, i)
    if (opcode == OP.call or opcode == OP.call_last) and a < slot then
      local argument_count = opcode == OP.call and c or d -- number of arguments + 1
      return i, stores, a + argument_count >= slot and a or nil
    elseif opcode == OP.store and b == slot and a ~= slot then
      stores[#stores + 1] = { name = get_constant(f, c), slot = a, at = i }
    elseif opcode == OP.store and a == slot and b < slot then
      return i, stores
    elseif OTHER_STORES[opcode] and b == slot or opcode == STORE_ALL and a == slot + 1 then
      return nil
    elseif a <= slot and not (is_comparison(opcode) and a ~= slot and d ~= slot)
      and not ((opcode == OP.store or OTHER_STORES[opcode]) and b > slot) then
      return nil
    end
  end
end

-- Returns true if an earlier instruction, other than the previous one, can jump to `pc`.
local function is_jumped_to(f, pc)
  for i = 1, pc - 2 do
    local opcode, _, d = decode_instruction(f, i)
    if opcode == OP.jump and i + 1 + d - 0x8000 == pc then
      return true
    end
  end
  return false
end

-- Returns the name of the function of CALLEES that the call with this base slot calls, or nil for any other function.
-- `argument_pc`: index of the instruction that creates its second argument.
local function find_callee(f, base, argument_pc)
  for i = argument_pc - 1, 1, -1 do
    local opcode, a, _, b, c = decode_instruction(f, i)
    if a == base and not is_comparison(opcode) then
      local name = opcode == OP.field and b == base and get_constant(f, c)
      if not name or CALLEES[name] == nil or i == 1 or is_jumped_to(f, i + 1) then
        return nil
      end
      local previous_opcode, previous_a, previous_d = decode_instruction(f, i - 1)
      local is_world = previous_opcode == OP.global and previous_a == base and get_constant(f, previous_d) == "world"
      return is_world and name or nil
    elseif a < base and not is_comparison(opcode) and opcode ~= OP.store then
      return nil
    end
  end
end

-- Returns true if the call at `pc` is a statement: no code uses its results.
local function is_statement(f, pc)
  local opcode, _, _, result_count = decode_instruction(f, pc) -- number of results + 1
  return opcode == OP.call and result_count == 1
end

-- --- marks

local shape_numbers = {}

local function get_shape(names, parts, is_unused)
  local labels = {}
  for i, name in ipairs(names) do
    labels[i] = ("%q"):format(name)
    for _, item in ipairs(parts and parts[name] or {}) do
      labels[i] = ("%s.%q"):format(labels[i], item.name)
    end
  end
  local key = (parts and "of tables," or "") .. (is_unused and "statement," or "") .. table.concat(labels, ",")
  if not shape_numbers[key] then
    M.shapes[#M.shapes + 1] = { names = names, parts = parts, is_statement = is_unused }
    shape_numbers[key] = #M.shapes
  end
  return shape_numbers[key]
end

-- Returns all keys of a table, from its template and from later stores, sorted; nil if a key is not a string.
local function list_names(template, stores)
  local names = {}
  for name in next, template do
    names[name] = true
  end
  for _, item in ipairs(stores) do
    names[item.name] = true
  end
  for name in next, names do
    if type(name) ~= "string" then
      return nil
    end
  end
  return sorted_keys(names)
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

local MAX_NUMBERED_VALUES = 255 -- maximum value of an 8-bit operand

-- Returns true if no jump from outside enters the instructions after `first_pc`, up to and including `last_pc`.
local function is_closed(f, first_pc, last_pc)
  for i = 1, util.funcinfo(f).bytecodes - 1 do
    local opcode, _, d = decode_instruction(f, i)
    local target_pc = i + 1 + d - 0x8000
    if opcode == OP.jump and target_pc > first_pc and target_pc <= last_pc and (i <= first_pc or i > last_pc) then
      return false
    end
  end
  return true
end

-- Finds the table literals that are values of the table created at `from` and used at `to`. Returns, by key, { at,
-- used, template, given, names } of each literal: the instructions that create and store it, its template, the stores
-- to it, and its keys. Returns nil if some value is not a table literal. Variables that begin with `inner_` belong to a
-- value's literal.
local function find_inner(f, from, to, slot, names, stores)
  local inner, count = {}, 0
  for _, item in ipairs(stores) do
    if inner[item.name] then
      return nil
    end
    for pc = from + 1, item.at - 1 do
      local opcode, a, d = decode_instruction(f, pc)
      local is_empty = opcode == OP.new and d == 0
      local use_pc, inner_stores
      if a == item.slot and a > slot and (opcode == OP.duplicate or is_empty) then
        use_pc, inner_stores = find_use(f, pc, a, to)
      end
      local template = is_empty and {} or use_pc == item.at and get_constant(f, d) or nil
      local inner_names = use_pc == item.at and is_closed(f, pc, use_pc) and list_names(template, inner_stores)
      if inner_names then
        inner[item.name] = { at = pc, used = use_pc, template = template, given = inner_stores, names = inner_names }
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

local function pack_instruction(opcode, a, b, c)
  return bit.bor(opcode, bit.lshift(a, 8), bit.lshift(c, 16), bit.lshift(b, 24))
end

-- Rewrites the bytecode of a function: removes the creation of nested tables, and redirects their stores to the table
-- in `slot`. Returns false if the bytecode cannot be rewritten.
local function rewrite(f, slot, inner, parts)
  local old_code, new_code = {}, {}
  for i = 0, util.funcinfo(f).bytecodes - 1 do
    old_code[i + 1] = util.funcbc(f, i)
    new_code[i + 1] = old_code[i + 1]
  end
  for name, literal in pairs(inner) do
    local numbers = {}
    for _, item in ipairs(parts[name]) do
      numbers[item.name] = item.at
    end
    local _, a = decode_instruction(f, literal.at)
    new_code[literal.at + 1], new_code[literal.used + 1] = pack_instruction(OP.nothing, a, 0, 0),
      pack_instruction(OP.nothing, a, 0, 0)
    for _, item in ipairs(literal.given) do
      new_code[item.at + 1] = pack_instruction(OP.put, item.slot, slot, numbers[item.name])
    end
  end
  return native.rewrite(f, old_code, new_code)
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
  for _, index in ipairs(empty) do
    template[index] = nil
  end
end

-- Marks a literal that is passed to the function `callee` of CALLEES. The instruction at `pc` creates it in `slot`, the
-- instruction at `use_pc` is the call.
local function mark_literal(f, pc, use_pc, slot, stores, callee)
  local is_unused = CALLEES[callee] and is_statement(f, use_pc)
  local _, _, d = decode_instruction(f, pc)
  local template = get_constant(f, d)
  local names = list_names(template, stores)
  local inner = names and type(f) == "proto" and find_inner(f, pc, use_pc, slot, names, stores)
  if inner then
    local parts, count = number_values(names, inner)
    if count <= MAX_NUMBERED_VALUES and rewrite(f, slot, inner, parts) then
      move_constants(template, inner, parts, get_shape(names, parts, is_unused))
    end
  elseif names then
    mark_template(template, names, get_shape(names, nil, is_unused))
  end
end

local function search_function(f)
  local last_pc = util.funcinfo(f).bytecodes - 1
  for pc = 1, last_pc do
    if bit.band(util.funcbc(f, pc), 0xff) == OP.duplicate then
      local _, a = decode_instruction(f, pc)
      local use_pc, stores, base = find_use(f, pc, a, last_pc)
      local callee = use_pc and base and a == base + 3 and find_callee(f, base, pc)
      if callee then
        mark_literal(f, pc, use_pc, a, stores, callee)
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
---@param text string the chunk's source code
function M.mark_all(chunk, text)
  if is_bytecode_supported and (text:find("world.spawn", 1, true) or text:find("world.emit", 1, true)) then
    search_function(chunk)
  end
end

-- Restores a marked literal to the table as written; any other value is returned unchanged.
---@param values any
---@return any
function M.restore(values)
  local shape_number = type(values) == "table" and rawget(values, M.MARK)
  if not shape_number then
    return values
  end
  local shape = M.shapes[shape_number]
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

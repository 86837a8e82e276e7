-- Row loops whose whole body is in an `if` that compares the row number with numbers that are the same for all rows:
-- `for i = 1, q.count do if i > width and i <= last then … end end`. All other rows do nothing, so the loop runs only
-- from the first to the last row for which the conditions hold. As in a loop with these limits, a guard can then check
-- once for all rows that row numbers such as `i - width` are valid (row_offsets.lua).
local need = ...
local bytecode = need("compile/bytecode")
local util = require("jit.util")

---@class engine.loop_conditions
local M = {}

---@class engine.loop_conditions.Limit
---@field is_start boolean the condition limits the first row, not the last row
---@field is_strict boolean the row number must differ from the value
---@field slot? integer slot of the local that contains the value
---@field v? number the value, if it is a constant

-- Comparisons jump over the body if they hold. By opcode: whether a body is executed for rows above the other operand
-- (rather than below it), if the row number is the first operand, and whether rows equal to it are excluded.
local COMPARISONS = {
  ISLT = { is_above = true, is_strict = false },
  ISGE = { is_above = false, is_strict = true },
  ISLE = { is_above = true, is_strict = true },
  ISGT = { is_above = false, is_strict = false },
}

-- Returns the constant that an instruction loads, and the slot into which it loads it; nil for any other instruction.
local function read_constant(fn, pc)
  local op, a, _, _, d = bytecode.read_instruction(fn, pc)
  if op == "KSHORT" then
    return d >= 0x8000 and d - 0x10000 or d, a
  elseif op == "KNUM" then
    return util.funck(fn, d), a
  end
end

-- Returns the limit that the comparison at `pc` sets, which is followed by a jump to the end of the loop; nil if the
-- instruction is not such a comparison. `constants`: constants by slot.
local function read_limit(fn, loop, pc, constants)
  local op, a, _, _, d = bytecode.read_instruction(fn, pc)
  local rule, row_slot = COMPARISONS[op], loop.base + 3
  if not rule or (a == row_slot) == (d == row_slot) then
    return nil
  end
  local jump, _, _, _, distance = bytecode.read_instruction(fn, pc + 1)
  if jump ~= "JMP" or pc + 2 + distance - 0x8000 ~= loop.last then
    return nil
  end
  local slot = a == row_slot and d or a
  if slot >= loop.base and constants[slot] == nil then
    return nil
  end
  return { is_start = rule.is_above == (a == row_slot), is_strict = rule.is_strict,
    slot = slot < loop.base and slot or nil, v = constants[slot] }
end

-- Returns true if the function cannot change locals declared before the loop while the loop runs, and if no jump leads
-- to the instructions after `first_pc`, up to and including `last_pc`.
local function is_fixed(fn, loop, first_pc, last_pc)
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local op, _, _, _, d = bytecode.read_instruction(fn, pc)
    local target = bytecode.JUMPS[op] and pc + 1 + d - 0x8000 or 0
    local is_in_loop = pc >= loop.first and pc < loop.last
    if op == "FNEW" or is_in_loop and bytecode.writes_below(fn, pc, loop.base)
      or target > first_pc and target <= last_pc then
      return false
    end
  end
  return true
end

-- Returns true if the body uses the number of another row as an index, such as `heat[i - 1]`.
local function reads_other_rows(fn, loop)
  for pc = loop.first, loop.last - 1 do
    local op, _, _, c = bytecode.read_instruction(fn, pc)
    if op == "TGETV" and c > loop.base + 3 then
      return true
    end
  end
  return false
end

-- Finds the conditions of a loop whose step is 1. Returns nil if it has none, if the loop may change the values, or if
-- limits would have no advantage: a loop without limits may queue commands, and rows that do not read other rows need
-- no checks. Also returns the pc at which the code inside the `if` begins.
---@param fn function
---@param loop engine.Loop
---@return engine.loop_conditions.Limit[]?
---@return integer? body_pc
---@return table<integer, number>? constants values of the slots that the skipped instructions load
function M.find(fn, loop)
  local limits, constants, pc, body_pc = {}, {}, loop.first, loop.first
  while pc < loop.last do
    local v, slot = read_constant(fn, pc)
    local limit = not v and read_limit(fn, loop, pc, constants)
    if limit then
      limits[#limits + 1], pc = limit, pc + 2
      body_pc = pc
    elseif v and slot and slot > loop.base + 3 then
      constants[slot], pc = v, pc + 1
    else
      break
    end
  end
  if #limits > 0 and reads_other_rows(fn, loop) and is_fixed(fn, loop, loop.first, body_pc) then
    return limits, body_pc, constants
  end
end

-- Returns the first and the last row of a loop for which all conditions hold: the first is greater than the last if the
-- conditions hold for no row. Returns nil if a value is not a number, because Lua must then report the error.
---@param limits engine.loop_conditions.Limit[]
---@param locals any[] the locals declared before the loop
---@param first number
---@param last number
---@return number? first
---@return number? last
function M.apply(limits, locals, first, last)
  for _, limit in ipairs(limits) do
    local v = limit.v or locals[limit.slot + 1]
    if type(v) ~= "number" or v ~= v then
      return nil
    elseif limit.is_start then
      first = math.max(first, limit.is_strict and math.floor(v) + 1 or math.ceil(v))
    else
      last = math.min(last, limit.is_strict and math.ceil(v) - 1 or math.floor(v))
    end
  end
  return first, last
end

return M

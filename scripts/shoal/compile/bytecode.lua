-- Decodes LuaJIT bytecode: opcode names, jumps, and the slots that an instruction writes. A slot is a register of a Lua
-- function: it holds a local or a temporary. A pc is the index of an instruction in its function; an instruction has an
-- opcode and the operands A, B and C, or A and D (D occupies the bits of B and C).
--
-- Opcodes differ between versions of LuaJIT: NAMES lists the opcodes of version 2.1, and M.is_known is true if test
-- functions compile to the expected opcodes.
local need = ...
local weak_table = need("base/weak_table")
local util, bit = require("jit.util"), require("bit")
local band, rshift, funcbc = bit.band, bit.rshift, util.funcbc

local NAMES = {}
for name in ([[ISLT ISGE ISLE ISGT ISEQV ISNEV ISEQS ISNES ISEQN ISNEN ISEQP ISNEP ISTC ISFC IST ISF ISTYPE ISNUM MOV
  NOT UNM LEN ADDVN SUBVN MULVN DIVVN MODVN ADDNV SUBNV MULNV DIVNV MODNV ADDVV SUBVV MULVV DIVVV MODVV POW CAT KSTR
  KCDATA KSHORT KNUM KPRI KNIL UGET USETV USETS USETN USETP UCLO FNEW TNEW TDUP GGET GSET TGETV TGETS TGETB TGETR TSETV
  TSETS TSETB TSETM TSETR CALLM CALL CALLMT CALLT ITERC ITERN VARG ISNEXT RETM RET RET0 RET1 FORI JFORI FORL IFORL
  JFORL ITERL IITERL JITERL LOOP ILOOP JLOOP JMP]]):gmatch("%S+") do
  NAMES[#NAMES + 1] = name
end

---@class engine.bytecode
local M = { NAMES = NAMES, NUMBER = {} }
for i, name in ipairs(NAMES) do
  M.NUMBER[name] = i - 1
end

-- Returns the decoded instruction at `pc`: its opcode name (nil if unknown) and the operands A, B, C and D, decoded for
-- both formats.
---@param fn function
---@param pc integer
---@return string? op
---@return integer a
---@return integer b
---@return integer c
---@return integer d
function M.read_instruction(fn, pc)
  local instruction = funcbc(fn, pc)
  return NAMES[band(instruction, 255) + 1], band(rshift(instruction, 8), 255), rshift(instruction, 24),
    band(rshift(instruction, 16), 255), rshift(instruction, 16)
end

-- Returns the opcode name alone, which is faster than M.read_instruction.
---@param fn function
---@param pc integer
---@return string?
function M.read_opcode(fn, pc)
  return NAMES[band(funcbc(fn, pc), 255) + 1]
end

-- Opcodes whose D operand is a jump target.
M.JUMPS = {}
for name in ("JMP UCLO FORI JFORI FORL IFORL JFORL LOOP ILOOP JLOOP ISNEXT ITERL IITERL JITERL"):gmatch("%S+") do
  M.JUMPS[name] = true
end
local WRITES_NOTHING, WRITES_ON = { GSET = true, UCLO = true, JMP = true, LOOP = true, ILOOP = true, JLOOP = true }, {}
for name in ([[ISLT ISGE ISLE ISGT ISEQV ISNEV ISEQS ISNES ISEQN ISNEN ISEQP ISNEP IST ISF USETV USETS USETN USETP TSETV
  TSETS TSETB TSETM TSETR RETM RET RET0 RET1]]):gmatch("%S+") do
  WRITES_NOTHING[name] = true
end
for name in ("CALLM CALL CALLMT CALLT ITERC ITERN VARG KNIL FORI JFORI FORL IFORL JFORL"):gmatch("%S+") do
  WRITES_ON[name] = true -- may write slot A and any slot after it
end

-- Returns true if the instruction at `pc` may write the slot.
---@param fn function
---@param pc integer
---@param slot integer
---@return boolean
function M.writes(fn, pc, slot)
  local instruction = funcbc(fn, pc)
  local op, a = NAMES[band(instruction, 255) + 1], band(rshift(instruction, 8), 255)
  return not op or not WRITES_NOTHING[op] and (a == slot or WRITES_ON[op] and a <= slot) or false
end

-- Returns true if the instruction at `pc` may write a slot below `slot_end`.
---@param fn function
---@param pc integer
---@param slot_end integer
---@return boolean
function M.writes_below(fn, pc, slot_end)
  local op, a = M.read_instruction(fn, pc)
  return slot_end > 0 and (not op or not WRITES_NOTHING[op] and a < slot_end)
end

-- Returns the pc of the last instruction before `pc` that may write the slot; nil if no instruction does.
---@param fn function
---@param pc integer
---@param slot integer
---@return integer?
function M.find_write(fn, pc, slot)
  for earlier_pc = pc - 1, 1, -1 do
    if M.writes(fn, earlier_pc, slot) then
      return earlier_pc
    end
  end
end

-- Returns the line of the first access to the member `key` of a slot's value, or nil if there is no such access.
---@param fn function
---@param slot integer
---@param key string
---@return integer?
function M.find_line_of_member(fn, slot, key)
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local op, _, b, c = M.read_instruction(fn, pc)
    if (op == "TGETS" or op == "TSETS") and b == slot and util.funck(fn, -1 - c) == key then
      return util.funcinfo(fn, pc).currentline
    end
  end
end

local function has_instructions(source, ...)
  local fn = loadstring(source)()
  for _, expected in ipairs { ... } do
    local found = false
    for pc = 1, util.funcinfo(fn).bytecodes - 1 do
      found = found or M.read_instruction(fn, pc) == expected
    end
    if not found then
      return false
    end
  end
  return true
end

-- Distance in slots from a called function to its first argument (2 in builds with LJ_FR2, else 1).
do
  local fn = loadstring("return function(f) f(1) end")()
  local _, called_slot = M.read_instruction(fn, 1)
  local _, argument_slot = M.read_instruction(fn, 2)
  M.FIRST_ARGUMENT = argument_slot - called_slot
end

-- Returns, for each upvalue of a function, true if it is a local of the enclosing function that is never assigned
-- again. In a dump these flags follow the instructions.
local function find_constant_upvalues(fn)
  local dump, position = string.dump(fn, true), 6 -- 6: position of the first function in a stripped dump
  local function read_number()
    local n, shift = 0, 0
    while true do
      local byte = dump:byte(position)
      n, position, shift = n + band(byte, 127) * 2 ^ shift, position + 1, shift + 7
      if byte < 128 then
        return n
      end
    end
  end
  local function_start, length = position, read_number()
  while length > 0 do -- nested functions are dumped first
    function_start, position = position, position + length
    length = read_number()
  end
  local upvalues = dump:byte(function_start + 3)
  position = function_start + 4
  read_number()
  read_number()
  position = read_number() * 4 + position
  local out = {}
  for i = 1, upvalues do
    out[i] = rshift(dump:byte(position + 2 * i - 1), 6) == 3
  end
  return out
end

local constant_upvalues = weak_table("k")

-- Returns true if upvalue `i` can never change, so that it needs no guard; false if it may change or if this is
-- unknown.
---@param fn function
---@param i integer
---@return boolean
function M.is_constant_upvalue(fn, i)
  constant_upvalues[fn] = constant_upvalues[fn] or M.knows_upvalues and find_constant_upvalues(fn) or {}
  return constant_upvalues[fn][i] == true
end

do
  local fn = loadstring("local a, b, c = 1, 2, 3 b = 3 return function() return a, function() return b, c end end")()
  local ok, flags = pcall(find_constant_upvalues, fn)
  M.knows_upvalues = ok and flags[1] == true and flags[2] == false and flags[3] == true and #flags == 3
end

-- Returns the prototypes of the functions that a function contains.
---@param fn function
---@return function[]
function M.list_inner(fn)
  local info, out = util.funcinfo(fn), {}
  for i = 1, info.children and info.gcconsts or 0 do
    local constant = util.funck(fn, -i)
    out[#out + 1] = type(constant) == "proto" and constant or nil
  end
  return out
end

-- True if this version of LuaJIT has the opcodes of NAMES: test functions compile to the expected opcodes.
M.is_known = has_instructions("return function(a, b) if a < b then return a end end", "ISGE", "JMP", "RET1", "RET0")
  and has_instructions("return function(a, b) local c = a or b return c + 1 end", "ISTC", "ADDVN")
  and has_instructions("return function(a, t) for i = 1, a.count do t.x[i] = a[i] * 2 end end", "FORI", "FORL",
    "TGETS", "TGETV", "TSETV", "MULVN", "KSHORT")
  and has_instructions("return function(a) a.x = math.floor(-a.y % a.z) end", "GGET", "UNM", "MODVV", "CALL", "TSETS")
  and has_instructions("local u = 1 return function(a) return u and not a and a ^ 0.1 end", "UGET", "ISF", "IST",
    "KNUM", "POW")
  and has_instructions("return function(a) return { 1, a }, a == 'b', a == nil, #a end", "TDUP", "ISEQS", "ISEQP",
    "LEN", "KPRI")

return M

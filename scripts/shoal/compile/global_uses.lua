-- Finds how a chunk uses globals that do not exist, from its bytecode: `if jit then` tests a global, `local os = os`
-- copies it, `jit.off()` reads it. Such a global is always nil, because scripts cannot assign globals. The outcome of a
-- test is therefore known, and code that runs only if the global exists never runs: a read in that code is harmless.
--
-- An abstract interpretation, for one name at a time, follows the values that depend on the global through the slots
-- of each function. It visits only instructions that can run if the global is nil. The value of a slot is a number,
-- the pc of the instruction that loaded the global, if the nil has not been tested yet; a string in the table VALUES;
-- or nil if it is unknown.
local need = ...
local bytecode = need("compile/bytecode")
local util = require("jit.util")

local M = {}

-- Values that decide a test, or that a call in a test needs.
local VALUES = { NIL = "nil", FALSE = "false", TRUE = "true", TYPE_NAME = "\"nil\", the result of type(nil)",
  TYPE = "the function type", RAWGET = "the function rawget", GLOBALS = "_G", KEY = "the name of the global",
  UPVALUE = "an upvalue of a function without debug information" }
local PRIMITIVES = { [0] = VALUES.NIL, VALUES.FALSE, VALUES.TRUE } -- indexed by the operand of KPRI, ISEQP and ISNEP
local BY_GLOBAL = { type = VALUES.TYPE, rawget = VALUES.RAWGET, _G = VALUES.GLOBALS }

-- Operands that are slots which the instruction reads, by opcode. The calls and returns are in READ_RANGES.
local READS = {}
for operands, names in pairs {
  a = "ISEQS ISNES ISEQN ISNEN ISEQP ISNEP GSET RET1",
  d = "ISTC ISFC IST ISF NOT UNM LEN USETV",
  ad = "ISLT ISGE ISLE ISGT ISEQV ISNEV",
  b = "ADDVN SUBVN MULVN DIVVN MODVN ADDNV SUBNV MULNV DIVNV MODNV TGETS TGETB",
  bc = "ADDVV SUBVV MULVV DIVVV MODVV POW TGETV TGETR",
  ab = "TSETS TSETB",
  abc = "TSETV TSETR",
} do
  for name in names:gmatch("%S+") do
    READS[name] = operands
  end
end
-- Functions of (a, b, c, d) that return the first and the last slot that an instruction reads. Values that a vararg
-- or a call leaves above the last slot do not matter: they cannot be an unknown global.
local READ_RANGES = {
  CAT = function(_, b, c) return b, c end,
  CALL = function(a, _, c) return a, a + bytecode.FIRST_ARGUMENT + c - 2 end,
  CALLM = function(a, _, c) return a, a + bytecode.FIRST_ARGUMENT + c - 1 end,
  CALLT = function(a, _, _, d) return a, a + bytecode.FIRST_ARGUMENT + d - 2 end,
  CALLMT = function(a, _, _, d) return a, a + bytecode.FIRST_ARGUMENT + d - 1 end,
  RET = function(a, _, _, d) return a, a + d - 2 end,
  RETM = function(a, _, _, d) return a, a + d - 1 end,
  FORI = function(a) return a, a + 2 end,
  ITERC = function(a) return a - 3, a - 1 end,
  ITERN = function(a) return a - 3, a - 1 end,
  TSETM = function(a) return a - 1, a - 1 end,
}
-- The operand that is the slot of a whole value, which the instruction only stores or returns, by opcode.
local COPIED_OPERANDS = { TSETS = "a", TSETB = "a", TSETV = "a", TSETR = "a", USETV = "d", RET1 = "a" }
local RETURNS_VALUES = { RET = true, RETM = true }
local TEST_OPERANDS = { IST = "d", ISF = "d", ISTC = "d", ISFC = "d", NOT = "d", ISEQP = "a", ISNEP = "a" }
local IS_COMPARISON = { ISLT = true, ISGE = true, ISLE = true, ISGT = true, ISEQV = true, ISNEV = true, ISEQS = true,
  ISNES = true, ISEQN = true, ISNEN = true, ISEQP = true, ISNEP = true, ISTC = true, ISFC = true, IST = true,
  ISF = true }
local COPIES = { ISTC = true, ISFC = true }
local ALWAYS_JUMPS = { JMP = true, UCLO = true, ISNEXT = true }
local MAY_JUMP = { FORI = true, FORL = true, ITERL = true }
local ENDS = { RET = true, RETM = true, RET0 = true, RET1 = true, CALLT = true, CALLMT = true }
local IS_CALL = { CALL = true, CALLM = true, CALLT = true, CALLMT = true }

-- Returns the truth value of `value` as a condition, or nil if it is unknown.
local function is_truthy(value)
  if type(value) == "number" or value == VALUES.NIL or value == VALUES.FALSE then
    return false
  elseif value ~= nil and value ~= VALUES.UPVALUE then
    return true
  end
end

-- Returns true if the two values are equal, false if they differ, nil if this is unknown. `primitive`: nil, true or
-- false.
local function is_equal(value, primitive)
  value = type(value) == "number" and VALUES.NIL or value
  if value ~= nil and value ~= VALUES.UPVALUE then
    return value == primitive
  end
end

local function negate(v)
  if v ~= nil then
    return not v
  end
end

-- Returns true if a comparison jumps, false if it does not, nil if this is unknown.
local function find_outcome(fn, slots, op, a, d)
  if op == "IST" or op == "ISTC" then
    return is_truthy(slots[d])
  elseif op == "ISF" or op == "ISFC" then
    return negate(is_truthy(slots[d]))
  elseif op == "ISEQP" then
    return is_equal(slots[a], PRIMITIVES[d])
  elseif op == "ISNEP" then
    return negate(is_equal(slots[a], PRIMITIVES[d]))
  elseif (op == "ISEQS" or op == "ISNES") and slots[a] == VALUES.TYPE_NAME then
    return (util.funck(fn, -1 - d) == "nil") == (op == "ISEQS")
  end
end

local function get_jump_target(pc, d)
  return pc + 1 + d - 0x8000
end

local function collect_jump_targets(fn)
  local targets = {}
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local op, _, _, _, d = bytecode.read_instruction(fn, pc)
    if ALWAYS_JUMPS[op] or MAY_JUMP[op] then
      targets[get_jump_target(pc, d)] = true
    end
  end
  return targets
end

local function get_line(fn, pc)
  return util.funcinfo(fn, pc).currentline
end

local MAY_LOAD_GLOBAL = { GGET = true, TGETS = true }

-- Returns the name of the global that an instruction loads, as in `name` and `_G.name`; otherwise nil.
local function find_loaded_global(fn, pc)
  local op, _, b, c, d = bytecode.read_instruction(fn, pc)
  if op == "GGET" then
    return util.funck(fn, -1 - d)
  elseif op == "TGETS" and pc > 1 then
    local previous_op, previous_a, _, _, previous_d = bytecode.read_instruction(fn, pc - 1)
    if previous_op == "GGET" and previous_a == b and util.funck(fn, -1 - previous_d) == "_G" then
      return util.funck(fn, -1 - c)
    end
  end
end

-- --- one function

---@class engine.GlobalUses the interpretation of one chunk for one name
---@field name string|false false: for accesses with a computed name, _G[name]
---@field constants table<string, boolean>
---@field is_tested boolean a test of the name or a constant was visited
---@field kinds table<function, table<integer, engine.GlobalUseKind>> by function and pc of a visited load

---@alias engine.GlobalUseKind "load"|"test"|"copy"|"read"
local RANK = { load = 1, test = 2, copy = 3, read = 4 } -- a load with several uses has the kind of the highest rank

-- Records how the nil in a slot is used, and marks it as used. Returns true if the slot holds the untested nil.
local function use_slot(uses, fn, slots, slot, kind)
  local load_pc = slots[slot]
  if type(load_pc) ~= "number" then
    return false
  end
  local kinds = uses.kinds[fn]
  kinds[load_pc] = RANK[kinds[load_pc]] > RANK[kind] and kinds[load_pc] or kind
  uses.is_tested = uses.is_tested or kind == "test"
  slots[slot] = VALUES.NIL
  return true
end

-- Applies a call. Returns the result's value if the call is type(global) or rawget(_G, "global").
local function apply_call(uses, fn, slots, op, a, argument_count)
  local called, first = slots[a], a + bytecode.FIRST_ARGUMENT
  local is_plain = op == "CALL" or op == "CALLT"
  if is_plain and argument_count == 1 and (called == VALUES.TYPE or called == VALUES.UPVALUE) then
    if use_slot(uses, fn, slots, first, "test") or slots[first] == VALUES.NIL then
      return VALUES.TYPE_NAME
    end
  elseif is_plain and argument_count == 2 and called == VALUES.RAWGET and slots[first] == VALUES.GLOBALS
    and slots[first + 1] == VALUES.KEY then
    uses.is_tested = true
    return VALUES.NIL
  end
end

-- Returns true if the instruction at `pc` returns a member of _G, as in `return _G.name`.
local function returns_member(fn, pc, slot_value, op)
  return (RETURNS_VALUES[op] or op == "RET1") and slot_value == pc - 1
    and bytecode.read_opcode(fn, pc - 1) == "TGETS"
end

local function apply_reads(uses, fn, pc, slots, op, a, b, c, d)
  local range = READ_RANGES[op]
  if range then
    local first, last = range(a, b, c, d)
    for slot = first, last do
      use_slot(uses, fn, slots, slot, RETURNS_VALUES[op] and not returns_member(fn, pc, slots[slot], op) and "copy"
        or "read")
    end
  end
  local operands = READS[op] or ""
  for i = 1, #operands do
    local operand = operands:sub(i, i)
    local slot = operand == "a" and a or operand == "b" and b or operand == "c" and c or d
    local is_copy = operand == COPIED_OPERANDS[op] and not returns_member(fn, pc, slots[slot], op)
    use_slot(uses, fn, slots, slot, is_copy and "copy" or "read")
  end
end

-- Returns the value that the instruction at `pc` stores in slot A, given the slots before it runs; nil if unknown.
local function find_result(uses, fn, pc, slots, op, b, d)
  local is_load = uses.name and find_loaded_global(fn, pc) == uses.name
  if is_load or not uses.name and op == "TGETV" and slots[b] == VALUES.GLOBALS then
    uses.kinds[fn][pc] = uses.kinds[fn][pc] or "load"
    return pc
  elseif op == "GGET" and uses.constants[util.funck(fn, -1 - d)] == false then
    uses.is_tested = true
    return VALUES.FALSE
  elseif op == "GGET" then
    return BY_GLOBAL[util.funck(fn, -1 - d)]
  elseif op == "UGET" then
    local name = util.funcuvname(fn, d)
    return name and (name == "type" or name == "rawget" or name == "_G") and BY_GLOBAL[name]
      or (get_line(fn, pc) or 0) == 0 and VALUES.UPVALUE or nil
  elseif op == "KSTR" then
    return util.funck(fn, -1 - d) == uses.name and VALUES.KEY or nil
  elseif op == "KPRI" then
    return PRIMITIVES[d]
  elseif op == "NOT" then
    local truthy = is_truthy(slots[d])
    return truthy == true and VALUES.FALSE or truthy == false and VALUES.TRUE or nil
  elseif op == "MOV" then
    return slots[d]
  end
end

-- Clears the slots that the instruction writes. A call may also assign to locals that closures have captured.
local function forget_written(fn, pc, slots, is_call_with_closures)
  for slot, value in pairs(slots) do
    local is_primitive = value == VALUES.NIL or value == VALUES.TRUE or value == VALUES.FALSE
    if bytecode.writes(fn, pc, slot) or is_call_with_closures and is_primitive then
      slots[slot] = nil
    end
  end
end

-- Applies the instruction at `pc` to the slots. Returns the pcs of at most two possible successors.
local function apply_instruction(uses, fn, pc, slots, children)
  local op, a, b, c, d = bytecode.read_instruction(fn, pc)
  local result, outcome = find_result(uses, fn, pc, slots, op, b, d), find_outcome(fn, slots, op, a, d)
  local test_operand = TEST_OPERANDS[op]
  if IS_CALL[op] then
    result = apply_call(uses, fn, slots, op, a, op == "CALL" and c - 1 or d - 1)
  elseif test_operand then
    use_slot(uses, fn, slots, test_operand == "a" and a or d, "test")
  elseif op == "FNEW" then
    children[#children + 1] = util.funck(fn, -1 - d)
  end
  apply_reads(uses, fn, pc, slots, op, a, b, c, d)
  if COPIES[op] and outcome ~= false then -- copies D to A if the jump is taken
    slots[a] = outcome and slots[d] or nil
  elseif not IS_COMPARISON[op] then
    forget_written(fn, pc, slots, IS_CALL[op] and util.funcinfo(fn).children)
    slots[a] = result or slots[a]
  end
  if IS_COMPARISON[op] then -- a jump follows, which is taken if the comparison holds
    return outcome ~= false and pc + 1 or nil, outcome ~= true and pc + 2 or nil
  elseif ENDS[op] then
    return nil, nil
  elseif ALWAYS_JUMPS[op] then
    return get_jump_target(pc, d), nil
  end
  return pc + 1, MAY_JUMP[op] and get_jump_target(pc, d) or nil
end

local function copy(slots)
  local out = {}
  for slot, value in pairs(slots) do
    out[slot] = value
  end
  return out
end

-- Merges the slots into the state at a jump target. Returns the slots to continue with; nil if the state is unchanged.
local function merge_state(states, pc, slots)
  local state = states[pc]
  if not state then
    states[pc] = slots
    return copy(slots)
  end
  local changed = false
  for slot, value in pairs(state) do
    if slots[slot] ~= value then
      state[slot], changed = nil, true
    end
  end
  return changed and copy(state) or nil
end

-- Interprets a function. Returns the functions that it can create.
local function interpret(uses, fn)
  local targets, states, children, work = collect_jump_targets(fn), {}, {}, { { 1, {} } }
  uses.kinds[fn] = uses.kinds[fn] or {}
  while #work > 0 do
    local item = table.remove(work)
    local pc, slots = item[1], item[2]
    while pc do
      if targets[pc] then
        slots = merge_state(states, pc, slots)
      end
      if not slots then
        break
      end
      local next_pc, other_pc = apply_instruction(uses, fn, pc, slots, children)
      if next_pc and other_pc then
        work[#work + 1] = { other_pc, copy(slots) }
      end
      pc = next_pc or other_pc
    end
  end
  return children
end

-- --- a chunk

-- Calls visit(name, fn, pc) for each load of a global that `is_known` rejects, in all functions of the chunk.
local function visit_missing(fn, is_known, parents, visit)
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local name = MAY_LOAD_GLOBAL[bytecode.read_opcode(fn, pc)] and find_loaded_global(fn, pc)
    if type(name) == "string" and not is_known(name) then
      visit(name, fn, pc)
    end
  end
  for _, inner in ipairs(bytecode.list_inner(fn)) do
    parents[inner] = fn
    visit_missing(inner, is_known, parents, visit)
  end
end

-- Interprets the chunk's functions that lead to a load of the name, or all its functions if `is_relevant` is nil.
local function interpret_chunk(chunk, name, constants, is_relevant)
  local uses = { name = name, constants = constants, is_tested = false, kinds = {} }
  local queue, index = { chunk }, 0
  while index < #queue do
    index = index + 1
    for _, child in ipairs(interpret(uses, queue[index])) do
      if (not is_relevant or is_relevant[child]) and not uses.kinds[child] then
        uses.kinds[child] = {}
        queue[#queue + 1] = child
      end
    end
  end
  return uses
end

-- Returns the first lines that test, copy and read a name, as an engine.MissingGlobal. Loads that cannot run if the
-- global is nil do not count.
local function classify(chunk, name, constants, loads, parents)
  local is_relevant = {}
  for _, load in ipairs(loads) do
    local fn = load.fn
    while fn do
      is_relevant[fn], fn = true, parents[fn]
    end
  end
  local uses, out = interpret_chunk(chunk, name, constants, is_relevant), { name = name }
  for _, load in ipairs(loads) do
    local kind = (uses.kinds[load.fn] or {})[load.pc]
    -- "load": the value is assigned to a local that is never used, which counts as a copy
    local is_copy = kind == "copy" or kind == "load"
    local field = kind == "test" and "test_line" or is_copy and "copy_line"
      or (kind or not uses.is_tested) and "read_line"
    if field then
      out[field] = out[field] or get_line(load.fn, load.pc) or 0 -- 0: packaged code has no line numbers
    end
  end
  return out
end

---@class engine.MissingGlobal
---@field name string
---@field test_line? integer first line that tests the global
---@field copy_line? integer first line that stores or returns its value
---@field read_line? integer first line that calls or indexes it, or calculates with it

-- Returns the unknown globals that a chunk uses, in order of first use. Omits globals that are used only in code that
-- cannot run.
---@param chunk function
---@param is_known fun(name: string): boolean
---@param constants table<string, boolean> globals that are false
---@return engine.MissingGlobal[]
function M.find_missing(chunk, is_known, constants)
  local loads, names, parents, out = {}, {}, {}, {}
  visit_missing(chunk, is_known, parents, function(name, fn, pc)
    if not loads[name] then
      loads[name], names[#names + 1] = {}, name
    end
    table.insert(loads[name], { fn = fn, pc = pc })
  end)
  for _, name in ipairs(names) do
    local use = classify(chunk, name, constants, loads[name], parents)
    out[#out + 1] = (use.test_line or use.copy_line or use.read_line) and use or nil
  end
  return out
end

-- Returns true if the chunk tests members of _G whose names it computes, as in type(_G[name]), and does not read them
-- otherwise.
---@param chunk function
---@return boolean
function M.tests_computed_names(chunk)
  local is_tested = false
  for _, kinds in pairs(interpret_chunk(chunk, false, {}).kinds) do
    for _, kind in pairs(kinds) do
      if kind ~= "test" then
        return false
      end
      is_tested = true
    end
  end
  return is_tested
end

return M

-- Rewrites the row loops of a function to call an iterator: in the bytecode of a copy, `for i = 1, q.count do` becomes
-- a generic `for` on the same lines, with the same locals. The code around a loop, and rows that machine code cannot
-- process (side exits), run unchanged in Lua; the iterator runs machine code for the rows between them
-- (compile/compile.lua).
--
-- A numeric loop keeps its start, stop, step and variable in four consecutive slots; a generic loop keeps its iterator,
-- its state, its control value and its first variable there. Two new instructions before FORI store the iterator in the
-- start's slot, and 0 in the step's slot, so the first call is iterator(count, 0). If the start or the step is not the
-- constant 1, or if the stop is not q.count, the start is stored in an upvalue instead, and the step is kept: the first
-- call is iterator(stop, step). FORI becomes a JMP to ITERC, which replaces FORL and is followed by a new ITERL.
local need = ...
local bytecode = need("compile/bytecode")
local util, bit = require("jit.util"), require("bit")
local FIRST_ARGUMENT = bytecode.FIRST_ARGUMENT

---@class engine.query_path
---@field root integer slot of the value from which a query or a column is reached through the members `names`
---@field names string[]
---@field from_view? string[] names of the members through which a column is reached from the function's first parameter

---@class engine.Loop a loop over the rows of a query
---@field base integer slot of the iterator: lower slots contain the locals that precede the loop
---@field head integer pc of the loop's FORI instruction
---@field first integer pc at which the loop's body begins
---@field last integer pc of the loop's FORL instruction
---@field query? engine.query_path path of the query whose count is the stop; nil if the stop is another expression
---@field columns? engine.query_path[] without `query`: paths of values that the loop's variable indexes
---@field stepped boolean the start or the step of the loop is not the constant 1, the stop is not the query's count, or
---the loop has `limits`
---@field limits? engine.loop_conditions.Limit[] conditions around the body that limit the rows (loop_conditions.lua)
---@field body? integer with `limits`: pc at which the code inside the conditions begins
---@field constants? table<integer, number> with `limits`: numbers that the instructions before `body` load, by slot

---@class engine.loop_rewrite
local M = {}

local MAX_LOOPS = 8

local function create_reader(text, at)
  local r = { at = at }
  function r.byte()
    r.at = r.at + 1
    return text:byte(r.at - 1)
  end
  function r.uleb()
    local value, scale = 0, 1
    repeat
      local byte = r.byte()
      value, scale = value + byte % 128 * scale, scale * 128
    until byte < 128
    return value
  end
  return r
end

local function encode_uleb(v)
  local out = {}
  while v >= 128 do
    out[#out + 1] = string.char(v % 128 + 128)
    v = math.floor(v / 128)
  end
  return table.concat(out) .. string.char(v)
end

-- Finds the chain of member reads, such as q.fish.count, that produces the value of `slot` at `pc`; its first read must
-- read from a lower slot. Searches backwards to `first_pc`. Returns the lower slot (the root), the member names, and
-- the pc of the first read; nil if there is no such chain.
local function find_path(fn, pc, slot, first_pc)
  local names = {}
  for read_pc = pc - 1, math.max(1, first_pc), -1 do
    local op, a, b, c = bytecode.read_instruction(fn, read_pc)
    if op == "TGETS" and a == slot then
      table.insert(names, 1, util.funck(fn, -1 - c))
      if b < a then
        return b, names, read_pc
      end
      slot = b
    elseif bytecode.writes(fn, read_pc, slot) then
      break
    end
  end
end

local MAX_OF_A_PATH = 3 -- maximum number of instructions that read the count of a loop's query

local MAX_OF_A_STEP = 4 -- maximum number of instructions that calculate a loop's step

-- Returns the pc at which the calculation of the step in `slot` begins, which ends directly before `pc`; `pc` if there
-- is no calculation.
local function find_step(fn, pc, slot)
  local first_pc = pc
  for step_pc = pc - 1, math.max(1, pc - MAX_OF_A_STEP), -1 do
    local op, a = bytecode.read_instruction(fn, step_pc)
    if a ~= slot or bytecode.JUMPS[op] or not bytecode.writes(fn, step_pc, slot) then
      break
    end
    first_pc = step_pc
  end
  return first_pc
end

-- Returns the loop whose FORI is at `pc` if its stop is the count of a query, such as `for i = 1, q.fish.count do`; nil
-- for any other loop.
local function find_loop_to_count(fn, pc)
  local _, a, _, _, d = bytecode.read_instruction(fn, pc)
  local step = find_step(fn, pc, a + 2)
  local root, names, first_read = find_path(fn, step, a + 1, step - MAX_OF_A_PATH)
  if step == pc or not root or names[#names] ~= "count" or root >= a then
    return nil
  end
  local op, _, _, _, step_value = bytecode.read_instruction(fn, step)
  local start_op, start_slot, _, _, start_value = bytecode.read_instruction(fn, first_read - 1)
  local is_plain = step == pc - 1 and op == "KSHORT" and step_value == 1 and start_op == "KSHORT" and start_slot == a
    and start_value == 1
  names[#names] = nil
  return { base = a, head = pc, first = pc + 1, last = pc + d - 0x8000, query = { root = root, names = names },
    stepped = not is_plain }
end

-- Returns the names of the members through which the value of `slot` at `pc` is reached from the function's first
-- parameter, assuming that no jump skips the instructions that assign it; nil for any other value.
local function find_path_from_view(fn, pc, slot)
  local names = {}
  for write_pc = pc - 1, 1, -1 do
    if bytecode.writes(fn, write_pc, slot) then
      local op, a, b, c, d = bytecode.read_instruction(fn, write_pc)
      if a ~= slot or op ~= "TGETS" and op ~= "MOV" then
        return nil
      elseif op == "TGETS" then
        table.insert(names, 1, util.funck(fn, -1 - c))
      end
      slot = op == "TGETS" and b or d
    end
  end
  return slot == 0 and names or nil
end

-- Returns the loop whose FORI is at `pc` if the loop's variable indexes values that are reached from locals, such as
-- `for i = w + 1, q.count - w do heat[i] = 0 end`. Returns nil for any other loop.
local function find_loop_with_index(fn, pc)
  local _, a, _, _, d = bytecode.read_instruction(fn, pc)
  local last, columns = pc + d - 0x8000, {}
  local step_op, _, _, _, step = bytecode.read_instruction(fn, pc - 1)
  for body_pc = pc + 1, last - 1 do
    local op, _, b, c = bytecode.read_instruction(fn, body_pc)
    if (op == "TGETV" or op == "TSETV") and c == a + 3 then
      local root, names = b, {}
      if b >= a then
        root, names = find_path(fn, body_pc, b, pc + 1)
      end
      columns[#columns + 1] = root and root < a
        and { root = root, names = names, from_view = find_path_from_view(fn, body_pc, b) } or nil
    end
  end
  return #columns > 0 and { base = a, head = pc, first = pc + 1, last = last, columns = columns, stepped = true,
    is_descending = step_op == "KSHORT" and step >= 0x8000 } or nil
end

-- Returns true if an instruction from `first_pc` to `last_pc` indexes a value by a variable.
local function has_index(fn, first_pc, last_pc)
  for pc = first_pc, last_pc do
    local op = bytecode.read_instruction(fn, pc)
    if op == "TGETV" or op == "TSETV" then
      return true
    end
  end
  return false
end

-- Returns the reason why the loop whose first or last instruction is at `pc` cannot be a row loop; nil if the
-- instruction does not begin or end a loop, or if the loop indexes nothing.
local function find_other_loop(fn, pc)
  local op, _, _, _, d = bytecode.read_instruction(fn, pc)
  local target = pc + 1 + d - 0x8000
  if (op == "LOOP" or op == "JLOOP" or op == "ILOOP") and has_index(fn, pc + 1, target - 1) then
    return "a while or repeat loop"
  elseif op == "ITERL" or op == "JITERL" or op == "IITERL" then
    return "a loop over a table or an iterator"
  end
end

-- Returns the row loops of a function in program order, at most MAX_LOOPS. Loops inside a row loop are not included.
-- `is_over_rows`: returns true for a row loop whose stop is not the count of a query; without this function, such loops
-- are not included. Also returns the loops that are not row loops but may take long: { { pc, reason }, … }.
---@param fn function
---@param is_over_rows? fun(loop: engine.Loop): boolean
---@return engine.Loop[]
---@return { pc: integer, reason: string }[]
function M.find(fn, is_over_rows)
  local out, others, loop_end = {}, {}, 0
  for pc = 4, util.funcinfo(fn).bytecodes - 1 do
    local op = bytecode.read_instruction(fn, pc)
    local loop = (op == "FORI" or op == "JFORI") and pc > loop_end
      and (find_loop_to_count(fn, pc) or is_over_rows and find_loop_with_index(fn, pc))
    local reason = pc > loop_end and find_other_loop(fn, pc)
    if loop and (loop.query or is_over_rows(loop)) then
      reason = loop.is_descending and "a loop from the last row to the first"
        or #out == MAX_LOOPS and ("more than %d loops"):format(MAX_LOOPS)
      out[#out + 1], loop_end = not reason and loop or nil, loop.last
    end
    others[#others + 1] = reason and { pc = pc, reason = reason } or nil
  end
  return out, others
end

-- Returns the number of instructions inserted before the original `pc`. The two that are inserted before a FORI
-- at `pc` itself are not counted, so a jump to that FORI executes them.
local function count_inserted_before(loops, pc)
  local n = 0
  for _, loop in ipairs(loops) do
    n = n + (loop.last < pc and 1 or 0) + (loop.head < pc and 2 or 0)
  end
  return n
end

local function encode(op, a, d)
  return bytecode.NUMBER[op] + a * 256 + d * 65536
end

-- Returns the instructions of the copy as 32-bit numbers, without the FUNCF header, which dumps omit. Its new upvalues
-- follow the `upvalues` original upvalues: the iterators of all loops, then the starts of the stepped loops.
local function rewrite_code(code, loops, upvalues)
  local out, starts = {}, upvalues + #loops
  for pc, instruction in ipairs(code) do
    local op = bytecode.NAMES[bit.band(instruction, 255) + 1]
    if bytecode.JUMPS[op] then
      local target = pc + 1 + math.floor(instruction / 65536) - 0x8000
      local offset = target + count_inserted_before(loops,
        target) - (pc + count_inserted_before(loops, pc)) - 1 + 0x8000
      instruction = instruction % 65536 + offset * 65536
    end
    for i, loop in ipairs(loops) do
      if pc == loop.head then
        out[#out + 1] = loop.stepped and encode("USETV", starts, loop.base) or encode("KSHORT", loop.base + 2, 0)
        starts = starts + (loop.stepped and 1 or 0)
        out[#out + 1] = encode("UGET", loop.base, upvalues + i - 1)
        instruction = encode("JMP", loop.base + 3, loop.last - loop.head - 1 + 0x8000)
      end
    end
    out[#out + 1] = instruction
    for _, loop in ipairs(loops) do
      if pc == loop.last then -- ITERC and a new ITERL replace FORL
        out[#out] = encode("ITERC", loop.base + 3, 2 * 256 + 3)
        local position = #out + 1
        out[position] = encode("ITERL", loop.base + 3, loop.first + count_inserted_before(loops,
          loop.first) - position - 1 + 0x8000)
      end
    end
  end
  return out
end

-- Returns the number of upvalues that the copy has in addition to the function's upvalues.
local function count_new_upvalues(loops)
  local n = #loops
  for _, loop in ipairs(loops) do
    n = n + (loop.stepped and 1 or 0)
  end
  return n
end

-- Returns the debug information of the copy: line numbers, upvalue names, and the names and live ranges of locals.
local function rewrite_debug_info(text, loops, count, line_count, upvalues)
  local size = line_count < 256 and 1 or line_count < 65536 and 2 or 4
  local out = {}
  for pc = 1, count do
    local line = text:sub((pc - 1) * size + 1, pc * size)
    out[#out + 1] = line
    for _, loop in ipairs(loops) do
      out[#out + 1] = pc == loop.last and line or pc == loop.head and line .. line or nil
    end
  end
  local r = create_reader(text, count * size + 1)
  local names_start = r.at
  for _ = 1, upvalues do
    repeat until r.byte() == 0
  end
  out[#out + 1] = text:sub(names_start, r.at - 1) .. ("(rows)\0"):rep(count_new_upvalues(loops))
  local old_previous, new_previous = 0, 0
  while true do
    local entry_start = r.at
    local kind = r.byte()
    if not kind or kind == 0 then
      break
    end
    while kind >= 7 and r.byte() ~= 0 do end
    out[#out + 1] = text:sub(entry_start, r.at - 1)
    local first_pc = old_previous + r.uleb()
    local last_pc = first_pc + r.uleb()
    old_previous = first_pc
    local new_first, new_last = first_pc + count_inserted_before(loops, first_pc),
      last_pc + count_inserted_before(loops, last_pc)
    out[#out + 1] = encode_uleb(new_first - new_previous) .. encode_uleb(new_last - new_first)
    new_previous = new_first
  end
  return table.concat(out) .. "\0"
end

local function decode_all(text)
  local out = {}
  for i = 1, #text, 4 do
    local a, b, c, d = text:byte(i, i + 3)
    out[#out + 1] = a + b * 256 + c * 65536 + d * 16777216
  end
  return out
end

local function encode_all(list)
  local out = {}
  for i, v in ipairs(list) do
    out[i] = string.char(v % 256, math.floor(v / 256) % 256, math.floor(v / 65536) % 256, math.floor(v / 16777216))
  end
  return table.concat(out)
end

-- Returns the dumped prototype with its loops rewritten, or nil if it would exceed a limit or has no debug information.
local function rewrite_prototype(text, loops)
  local r = create_reader(text, 1)
  local flags, params, frame, upvalues = r.byte(), r.byte(), r.byte(), r.byte()
  local kgc, kn, count, debug_bytes = r.uleb(), r.uleb(), r.uleb(), r.uleb()
  local firstline, numline = r.uleb(), r.uleb()
  local code = decode_all(text:sub(r.at, r.at + 4 * count - 1))
  local position = r.at + 4 * count
  local upvalue_data = text:sub(position, position + 2 * upvalues - 1)
  local constants = text:sub(position + 2 * upvalues, #text - debug_bytes)
  for _, loop in ipairs(loops) do
    frame = math.max(frame, loop.base + 3 + 3 + FIRST_ARGUMENT + 2)
  end
  local new_upvalues = count_new_upvalues(loops)
  if frame > 250 or upvalues + new_upvalues > 60 or debug_bytes == 0 then
    return nil
  end
  local debug_data = rewrite_debug_info(text:sub(#text - debug_bytes + 1), loops, count, numline, upvalues)
  count = count + count_inserted_before(loops, count + 1)
  return string.char(flags, params, frame, upvalues + new_upvalues) .. encode_uleb(kgc) .. encode_uleb(kn)
    .. encode_uleb(count) .. encode_uleb(#debug_data) .. encode_uleb(firstline) .. encode_uleb(numline)
    .. encode_all(rewrite_code(code, loops, upvalues))
    .. upvalue_data .. ("\0\0"):rep(new_upvalues) .. constants .. debug_data
end

-- Returns a copy of the function in which loop i calls `iterators[i](count, row)` to get the next row that Lua must
-- run. `row` is the previous row, or 0 on the first call. A result of nil ends the loop. For a stepped loop, the first
-- call is `iterators[i](stop, step)`, and the copy sets the first upvalue of `starts[i]` to the loop's start. To return
-- a row, this call must replace the iterator in the loop's slots. Returns nil if the function cannot be rewritten: it
-- has too many slots or upvalues, or it was compiled without debug information.
---@param fn function
---@param loops engine.Loop[]
---@param iterators (fun(count: number, row: number): number?)[]
---@param starts? table<integer, fun(): number> for each stepped loop, by index of the loop
---@return function?
function M.copy(fn, loops, iterators, starts)
  local text = string.dump(fn)
  local r = create_reader(text, 5)
  if text:sub(1, 4) ~= "\27LJ\2" or bit.band(r.uleb(), 2) ~= 0 then
    return nil
  end
  local name = r.uleb()
  r.at = r.at + name
  local entry_start, length = r.at, r.uleb()
  local main_prototype = nil ---@type { at: integer, from: integer, length: integer }?
  while length ~= 0 do -- nested functions are dumped first
    main_prototype = { at = entry_start, from = r.at, length = length }
    r.at = r.at + length
    entry_start = r.at
    length = r.uleb()
  end
  local new_prototype = main_prototype and rewrite_prototype(text:sub(main_prototype.from,
    main_prototype.from + main_prototype.length - 1), loops)
  local rewritten = new_prototype and loadstring(text:sub(1, main_prototype.at - 1) .. encode_uleb(#new_prototype)
    .. new_prototype .. "\0")
  if not rewritten then
    return nil
  end
  local upvalues = debug.getinfo(fn, "u").nups
  for i = 1, upvalues do
    debug.upvaluejoin(rewritten, i, fn, i)
  end
  local start_index = upvalues + #loops
  for i, loop in ipairs(loops) do
    debug.setupvalue(rewritten, upvalues + i, iterators[i])
    if loop.stepped then
      start_index = start_index + 1
      debug.upvaluejoin(rewritten, start_index, starts[i], 1)
    end
  end
  return setfenv(rewritten, getfenv(fn))
end

return M

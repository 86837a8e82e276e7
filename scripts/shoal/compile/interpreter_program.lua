-- Emits instructions for the interpreter (native/interpreter.h) from the nodes of a row (symbolic_exec.lua). The
-- interpreter runs single-precision systems until their machine code is ready, or always on machines where nothing is
-- compiled. Evaluation and stores have the same order as in emit.lua.
--
-- A register holds one value for each row of a block. The prologue consists of the loop-invariant instructions, which
-- run once; the body runs for each block.
local need = ...
local abi = need("base/abi")
local sorted_keys = need("base/sorted_keys")
local emit = need("compile/emit")
local ir = need("compile/ir")
local C = abi.C

---@class engine.program
local M = {}

-- Work counted per iteration of an inner loop; must equal LINES_OF_AN_ITERATION in emit.lua.
local LINES_OF_AN_ITERATION = 64
local STORE_TYPES = { bool = "i8", enum = "i8", i8 = "i8", u8 = "i8", i16 = "i16", u16 = "i16", i32 = "i32",
  string = "i32",
  asset = "i32", entity = "i32", f32 = "f32", f64 = "f64" }
local LOAD_TYPES = { enum = "u8", string = "i32", asset = "i32", entity = "i32" }
local OPERATION_NAMES = { wrap_add = "add_i32", wrap_sub = "sub_i32", wrap_mul = "mul_i32", whole = "f64_to_i32",
  word = "word", bit_and = "bit_and", bit_or = "bit_or", bit_xor = "bit_xor",
  bit_shl = "bit_shl", bit_lshr = "bit_lshr", bit_ashr = "bit_ashr", bit_rol = "bit_rol", bit_ror = "bit_ror",
  ["not"] = "not_bool" }
-- Operations that are loop-invariant if their operands are loop-invariant.
local PURE = {}
for op in ([[const parameter widen round keep whole add sub mul div modulo neg abs sqrt floor ceil exact lt le eq and or
  not choose wrap_add wrap_sub wrap_mul word bit_and bit_or bit_xor bit_shl bit_lshr bit_ashr bit_rol
  bit_ror]]):gmatch("%S+") do
  PURE[op] = true
end

local operation_numbers = {}
local function find_operation(name)
  operation_numbers[name] = operation_numbers[name] or C.interpreter_find_operation(name)
  return operation_numbers[name] >= 0 and operation_numbers[name]
    or ir.refuse("an operation that cannot be interpreted (%s)", name)
end

local function get_operation_name(n)
  local operand_type = n.a and n.a.t
  if OPERATION_NAMES[n.op] then
    return OPERATION_NAMES[n.op]
  elseif n.op == "widen" or n.op == "round" then
    return operand_type .. "_to_" .. n.t
  elseif n.op == "lt" or n.op == "le" or n.op == "eq" then
    return n.op .. "_" .. operand_type
  end
  return n.op .. "_" .. n.t
end

local EMIT = {} -- emitters by op: f(e, n) returns the register that holds the node's value

function EMIT.const(e, n)
  local t = n.t == "bool" and "i32" or n.t
  return e.put("const_" .. t, { value = n.t == "bool" and (n.v and 1 or 0) or n.v })
end

function EMIT.parameter(e, n)
  return e.put("parameter_" .. n.t, { slot = e.parameter[n.v] })
end

local function get_load_name(e, n)
  local kind = e.result.columns[n.v].field.type
  return (e.result.foreign and (kind == "f32" or kind == "f64") and "foreign_" or "") .. (LOAD_TYPES[kind] or kind)
end

function EMIT.load(e, n)
  return e.put("load_" .. get_load_name(e, n), { slot = e.slot[n.v] })
end

function EMIT.gather(e, n)
  local is_uniform = e.result.is_uniform and e.result.is_uniform(n)
  return e.put((is_uniform and "broadcast_" or "gather_") .. get_load_name(e, n),
    { slot = e.slot[n.v], a = e.value(n.a) })
end

function EMIT.find(e, n)
  return e.put("find", { slot = n.v, a = e.value(n.a) })
end

function EMIT.solid(e, n)
  return e.put("solid", { a = e.value(n.a), b = e.value(n.b), c = e.value(n.c) })
end

function EMIT.mapped(e, n)
  return e.put("mapped", { slot = e.slot[n.v], a = e.value(n.a) })
end

function EMIT.row(e)
  e.result.uses_row_numbers = true
  return e.put("row", {})
end

function EMIT.keep(e, n)
  return e.value(n.a)
end

function EMIT.exact(e, n)
  local a = e.value(n.a)
  return e.put("exact", { slot = n.v, a = a, b = n.b and e.value(n.b) or a })
end

function EMIT.choose(e, n)
  local is_negated = n.c.op == "not"
  return e.put("choose_" .. (n.t == "bool" and "i32" or n.t), { a = e.value(is_negated and n.b or n.a),
    b = e.value(is_negated and n.a or n.b), c = e.value(is_negated and n.c.a or n.c) })
end

for _, op in ipairs { "and", "or" } do
  EMIT[op] = function(e, n)
    local a, b = n.a, n.b
    if a.op == "not" then
      a, b = b, a
    end
    local is_negated = b.op == "not"
    return e.put(op .. (is_negated and "_not_bool" or "_bool"),
      { a = e.value(a), b = e.value(is_negated and b.a or b) })
  end
end

function EMIT.carried(e, n)
  return e.carried[n.v]
end

function EMIT.phi(e, n)
  return e.phis[n]
end

-- Emits the condition for another iteration: in a loop that the rows of a block execute together, some row has reached
-- the loop and takes no side exit.
local function emit_loop_condition(e, loop, stop, step, guard)
  local is_continuing = e.put("for_condition", { a = e.phis[loop.index.node], b = stop, c = step })
  local has_ended = e.put("or_bool", { a = e.phis[loop.bad.node], b = e.phis[loop.has_broken.node] })
  is_continuing = e.put("and_bool", { a = e.put("and_bool", { a = is_continuing, b = guard }),
    b = e.put("not_bool", { a = has_ended }) })
  return e.result.is_uniform and e.put("any", { a = is_continuing }) or is_continuing
end

-- Emits an inner loop. Each of its loop-carried values has its own register.
local function write_loop(e, loop)
  local hoisted, new_values, is_common = {}, {}, e.result.is_uniform ~= nil
  local stop, step, guard = e.value(loop.stop), e.value(loop.step), e.value(loop.guard)
  for _, item in ipairs(loop.items) do
    local initial_value = e.value(item.init)
    emit.hoist_operands(e, item.next, { loop }, hoisted)
    e.phis[item.node] = initial_value
  end
  for _, item in ipairs(loop.items) do
    e.phis[item.node] = e.put("move", { a = e.phis[item.node] })
  end
  if is_common then
    e.put("count_all", { a = e.phis[loop.index.node], b = stop, c = step, slot = e.nesting == 0 and 1 or 0,
      value = LINES_OF_AN_ITERATION, to = e.phis[loop.bad.node] })
  end
  local head = e.here()
  local is_continuing = emit_loop_condition(e, loop, stop, step, guard)
  local exit_jump = e.jump("jump_unless", is_continuing)
  e.open()
  e.nesting = e.nesting + 1
  for i, item in ipairs(loop.items) do
    new_values[i] = e.value(item.next)
  end
  e.nesting = e.nesting - 1
  e.close()
  local is_exhausted = not is_common and e.put("count", { value = LINES_OF_AN_ITERATION })
  for i, item in ipairs(loop.items) do
    new_values[i] = item == loop.bad and is_exhausted and e.put("or_bool", { a = new_values[i], b = is_exhausted })
      or e.put("move", { a = new_values[i] })
  end
  for i, item in ipairs(loop.items) do
    e.put("move", { a = new_values[i], to = e.phis[item.node] })
  end
  e.set_target(e.jump("jump"), head)
  e.set_target(exit_jump, e.here())
end

function EMIT.after_loop(e, n)
  if not e.is_written(n.loop) then
    write_loop(e, n.loop)
    e.note(n.loop)
  end
  return e.phis[n.item.node]
end

-- --- the emitter

local function is_invariant(e, n)
  if not PURE[n.op] then
    return false
  elseif n.op == "parameter" or n.op == "const" then
    return true
  elseif e.invariant[n] == nil then
    e.invariant[n] = true
    for _, x in ipairs { n.a or false, n.b or false, n.c or false } do
      e.invariant[n] = e.invariant[n] and (not x or is_invariant(e, x))
    end
  end
  return e.invariant[n]
end

-- Adds methods that append instructions to the current list: `e.prologue` or `e.body`.
local function add_instructions(e)
  e.prologue, e.body, e.registers = {}, {}, 0
  e.list = e.body
  function e.put(name, instruction)
    if not instruction.to then
      instruction.to, e.registers = e.registers, e.registers + 1
    end
    instruction.operation = find_operation(name)
    e.list[#e.list + 1] = instruction
    return instruction.to
  end
  function e.act(name, instruction) -- appends an instruction without a result
    instruction.to = 0
    e.put(name, instruction)
  end
  function e.here()
    return #e.body
  end
  function e.jump(name, a)
    e.act(name, { a = a })
    return e.body[#e.body]
  end
  function e.set_target(jump, target) -- sets a jump's target, relative to the start of the body
    jump.to, jump.is_jump = target, true
  end
  function e.in_prologue(f)
    local previous_list = e.list
    e.list = e.prologue
    local result = f()
    e.list = previous_list
    return result
  end
end

local function create_emitter(result, slot, parameter)
  local e = { result = result, slot = slot, parameter = parameter, carried = {}, phis = {}, invariant = {},
    nesting = 0 }
  local memo, invariant = {}, {}
  add_instructions(e)
  function e.open()
    memo = setmetatable({}, { __index = memo })
  end
  function e.close()
    memo = getmetatable(memo).__index
  end
  function e.is_written(loop) return memo[loop] end
  function e.note(loop) memo[loop] = true end
  local function emit_node(n)
    if EMIT[n.op] then
      return EMIT[n.op](e, n)
    end
    return e.put(get_operation_name(n), { a = e.value(n.a), b = n.b and e.value(n.b), c = n.c and e.value(n.c) })
  end
  function e.value(n)
    ir.pause()
    if is_invariant(e, n) then
      invariant[n] = invariant[n] or e.in_prologue(function() return emit_node(n) end)
      return invariant[n]
    elseif not memo[n] then
      memo[n] = emit_node(n)
    end
    return memo[n]
  end
  return e
end

-- --- the instructions of a row

local function begin_carried(e)
  for _, item in ipairs(e.result.carried) do
    e.carried[item.key] = e.in_prologue(function()
      return e.put("parameter_" .. item.node.t, { slot = e.parameter[item.key] })
    end)
  end
end

local function end_carried(e, new_values)
  for i, item in ipairs(e.result.carried) do
    e.put("move", { a = new_values[i], to = e.carried[item.key] })
  end
  for _, item in ipairs(e.result.carried) do
    local t = item.node.t == "bool" and "i32" or item.node.t
    e.act("set_parameter_" .. t, { a = e.carried[item.key], slot = e.parameter[item.key] })
  end
end

local function mark_links(e)
  local condition = emit.writes_links(e.result)
  if condition then
    e.act("note_links", { a = e.value(condition) })
  end
end

local function store(e, key, v)
  local own_rows = e.result.own_rows[key]
  e.act((own_rows and "store_own_" or "store_") .. STORE_TYPES[e.result.columns[key].field.type],
    { slot = e.slot[key], a = v, b = own_rows and e.value(own_rows) or 0 })
end

local function store_shared(e, shared, marked)
  for i, write in ipairs(e.result.writes) do
    local shared_write = shared[i]
    e.act("store_far_" .. STORE_TYPES[e.result.columns[write.key].field.type],
      { slot = e.slot[write.key], a = shared_write.v, b = shared_write.at, c = shared_write.pred })
    if marked then
      local row = e.put("choose_i32", { a = shared_write.at, b = e.value(ir.constant(-1)), c = shared_write.pred })
      e.act("mark_own", { slot = e.slot[write.key], a = shared_write.pred, b = row })
    end
  end
end

-- Emits the calculation of all values that the row stores; this must precede the first store. Returns the registers of
-- the new values and the marks by column, of the writes to shared columns, and of the loop-carried values.
local function emit_values(e, marked)
  local values, marks, shared, new_values = {}, {}, {}, {}
  for _, key in ipairs(sorted_keys(e.result.mem)) do
    local n, own_rows = e.result.mem[key], e.result.own_rows[key]
    values[key] = not emit.is_unchanged(n, key) and e.value(n) or nil
    marks[key] = marked and e.result.marks[key] and e.value(e.result.marks[key]) or nil
    if own_rows then
      e.value(own_rows)
    end
  end
  for i, write in ipairs(e.result.writes) do
    shared[i] = { v = e.value(write.value), at = e.value(write.row), pred = e.value(write.pred) }
  end
  for i, item in ipairs(e.result.carried) do
    new_values[i] = e.put("move", { a = e.value(item.node) })
  end
  return values, marks, shared, new_values
end

local function write_row(e, marked)
  local result, reports = e.result, {}
  if not ir.is_const(result.exit_condition, false) then
    e.act("stop", { a = e.value(result.exit_condition) })
  end
  local values, marks, shared, new_values = emit_values(e, marked)
  for i, item in ipairs(result.reports) do
    reports[i] = { slot = i - 1, a = e.value(item.bad), b = e.value(item.value) }
  end
  mark_links(e)
  for _, report in ipairs(reports) do
    e.act("report", report)
  end
  for _, key in ipairs(sorted_keys(result.mem)) do
    if values[key] then
      store(e, key, values[key])
    end
    local own_row = result.own_rows[key]
    if marks[key] then
      e.act(own_row and "mark_own" or "mark", { slot = e.slot[key], a = marks[key], b = own_row and e.value(own_row)
        or 0 })
    end
  end
  store_shared(e, shared, marked)
  end_carried(e, new_values)
end

-- Returns the instructions, their count, the length of the prologue and the number of registers. `slot`: column indices
-- by key. `marked`: the instructions mark changed rows.
---@param result engine.symbolic_exec.Result
---@param slot table<string, integer>
---@param marked boolean
---@return ffi.cdata* instructions
---@return integer count
---@return integer prologue
---@return integer registers
function M.generate(result, slot, marked)
  local parameter = {}
  for i, item in ipairs(result.parameters) do
    parameter[item.key] = i - 1
  end
  local e = create_emitter(result, slot, parameter)
  begin_carried(e)
  write_row(e, marked)
  local prologue_length, count = #e.prologue, #e.prologue + #e.body
  local out = abi.ffi.new("interpreter_instruction_t[?]", count)
  for i, instruction in ipairs(e.prologue) do
    e.body[i - prologue_length] = instruction
  end
  for i = 1 - prologue_length, #e.body do
    local instruction, target = e.body[i], out[i + prologue_length - 1]
    target.operation, target.slot, target.to = instruction.operation, instruction.slot or 0, instruction.is_jump
      and instruction.to + prologue_length or instruction.to
    target.a, target.b, target.c, target.value = instruction.a or 0, instruction.b or 0, instruction.c
      or 0, instruction.value or 0
  end
  return out, count, prologue_length, e.registers
end

return M

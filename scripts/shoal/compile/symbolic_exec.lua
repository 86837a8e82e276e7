-- Symbolic execution of a system's bytecode: every slot (register of the Lua function) contains a symbolic value, and
-- the result consists of the nodes of a row (ir.lua). Outside of loops, jumps go forward only, so both paths of a
-- branch are executed, and their states are merged where the paths meet. The predicate of a state (`pred`) is the
-- condition under which a row takes its path. Called functions are inlined. Code before the loop over rows gives the
-- same values for all rows and is executed symbolically together with the loop's body.
--
-- A row that reaches an unsupported operation (such as a call that emits an event, or a number out of range) takes a
-- side exit and runs in Lua; `exit_condition` is true for these rows. Code that cannot be compiled at all is refused
-- with a reason.
--
-- Values that are the same for all rows (loop-invariant) become parameters, which are fetched before each run, or
-- constants, for which a guard checks before each run that they are unchanged. Values that each row passes to the next
-- are loop-carried. A column is shared if a row may write to other rows of the column.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local hidden_state = need("base/hidden_state")
local report = need("base/report")
local scope = need("base/scope")
local sorted_keys = need("base/sorted_keys")
local text = need("base/string_table")
local bytecode = need("compile/bytecode")
local commands = need("compile/commands")
local ir = need("compile/ir")
local ranges = need("compile/ranges")
local row_offsets = need("compile/row_offsets")
local typed = need("compile/single_precision")
local uniform_loops = need("compile/uniform_loops")
local components = need("schema/component")
local value = need("schema/value")
local bit = require("bit")
local util = require("jit.util")
local refuse, constant = ir.refuse, ir.constant
local NOT, AND, OR = ir.NOT, ir.AND, ir.OR
local FIRST_ARGUMENT = bytecode.FIRST_ARGUMENT
local env ---@type table<string, any> the globals of game files; M.set_globals

---@class engine.symbolic_exec
local M = {}

-- Symbolic values other than numbers, booleans, strings and nodes are tables with a `kind`. A value that may be nil is
-- { kind = "maybe", present = node, v = value }: nil where `present` is false.
local NIL, MIXED = { kind = "nil", label = "nil" }, { kind = "mixed", label = "a value of varying type" }
local ENTITY, WORLD, WORLD_SINGLE = { kind = "entity", label = "an entity" }, { kind = "world", label = "world" },
  { kind = "singles", label = "world.single" }
local INPUT = { kind = "input", label = "input" }

local ctx ---@type table state of the current symbolic execution
local depth = 0

local function add_check(v, fetch)
  ctx.checks[#ctx.checks + 1] = { fetch = fetch, v = v }
end

-- Node type by kind of parameter. "bits": a 32-bit word as a signed integer.
local PARAMETER = { number = "f64", boolean = "bool", id = "i32", bits = "i32" }

local function get_parameter(key, fetch, kind)
  if not ctx.parameters[key] then
    ctx.parameters[key] = true
    ctx.parameter_list[#ctx.parameter_list + 1] = { key = key, fetch = fetch, kind = kind }
    ctx.fetches[key] = fetch
  end
  local n = ir.make("parameter", key == "dt" and "f32" or PARAMETER[kind], nil, nil, nil, key, -2 ^ 31, 2 ^ 31 - 1)
  n.kind = kind == "number" and (M.is_exact(key) and "whole" or "free") or nil
  return n
end

-- Returns true if the loop-invariant value with this key is an integer that single precision must not round to f32.
function M.is_exact(key)
  return key == "world.tick" or key:find("^count of ") ~= nil or key:find("^world%.count") ~= nil
end

-- Returns true if two Lua values are identical. 0 and -0 differ.
local function is_same(a, b)
  return a == b and (a ~= 0 or 1 / a == 1 / b)
end

-- Returns the keys whose values differ, in a deterministic order: the order in which nodes and parameters are created
-- determines the IR text, and the code cache is indexed by the hash of that text.
local function list_differing_keys(old, new)
  local keys = {}
  for k, v in pairs(old) do
    if new[k] == nil or not is_same(v, new[k]) then
      keys[#keys + 1] = k
    end
  end
  for k in pairs(new) do
    if old[k] == nil then
      keys[#keys + 1] = k
    end
  end
  if #keys > 1 then
    table.sort(keys)
  end
  return keys
end

local function to_node(v)
  return (type(v) == "number" or type(v) == "boolean") and constant(v) or v
end

-- --- loop-invariant values

-- Returns the symbolic value of a loop-invariant Lua value. Numbers and booleans become parameters; for any other
-- value, a guard checks that the value, or at least its type, is unchanged.
local function create_invariant(key, label, fetch, properties)
  if ctx.is_hoisting and not ctx.in_row then
    key, fetch = M.fetch_once(key, fetch, label)
  end
  local invariant = ctx.invariant[key]
  if invariant then
    return invariant
  end
  local ok, v = pcall(fetch)
  if not ok then
    error({ refused = ("%s, which is currently unavailable"):format(label), again = true }, 0)
  elseif type(v) == "number" or type(v) == "boolean" then
    invariant = get_parameter(key, fetch, type(v))
  elseif v == nil then
    add_check(nil, fetch)
    invariant, ctx.found_nil = NIL, true
  else
    if ctx.symbols[v] then -- `v` is a table or column of a query
      add_check(v, fetch)
      ctx.invariant[key] = ctx.symbols[v]
      return ctx.symbols[v]
    end
    if type(v) == "cdata" and not (properties and properties.component) then
      properties = M.read_accessor(fetch, label)
    end
    if M.find_single_name(v) then -- a singleton: rows may write its fields
      ctx.reads[M.find_single_name(v)] = true
      add_check(v, fetch)
    else
      add_check(type(v), function() return type(fetch()) end)
    end
    invariant = { kind = "invariant", key = key, label = label, fetch = fetch, sample = v }
    for k, x in pairs(properties or {}) do
      invariant[k] = x
    end
  end
  ctx.invariant[key] = invariant
  return invariant
end

-- Registers a value that the function reads before its loop. Such a value is fetched once per run, because the function
-- does not read it again if a row that runs in Lua changes the source of the value. Returns the value's key and a
-- function that returns the fetched value.
function M.fetch_once(key, fetch, label)
  key = "before " .. key
  local item = ctx.hoisted[key]
  if not item then
    local ok, v = pcall(fetch)
    if not ok then
      error({ refused = ("%s, which is currently unavailable"):format(label), again = true }, 0)
    end
    item = { fetch = fetch, v = v }
    ctx.hoisted[key] = item
    ctx.hoisted_list[#ctx.hoisted_list + 1] = item
  end
  return key, function() return item.v end
end

-- Returns a symbolic value for a component accessor, such as e.transform, that a local holds. The value contains the
-- component's name and the accessor's entity. Adds a guard for the component name.
function M.read_accessor(fetch, label)
  local name = components.identify_accessor(fetch())
  if not name then
    refuse("%s, which is not a number, string or entity", label)
  end
  add_check(name, function() return (components.identify_accessor(fetch())) end)
  return { component = name, entity = { fetch = function()
    local _, id = components.identify_accessor(fetch())
    return handle.handle(id)
  end } }
end

local function to_symbolic(v)
  if v == env.world then
    return WORLD
  elseif v == env.input then
    return INPUT
  elseif v ~= nil and v == env.settings then
    return create_invariant("settings", "settings", function() return v end)
  elseif type(v) == "table" or type(v) == "function" then
    return { kind = "concrete", v = v, label = "a " .. type(v) }
  elseif v == nil then
    ctx.found_nil = true
    return NIL
  elseif type(v) == "userdata" then
    local id = handle.get_id(v) or refuse("a userdata value that is not an entity")
    return create_invariant(("entity %.0f"):format(id), "an entity", function() return v end)
  elseif type(v) == "cdata" then
    refuse("a cdata value")
  end
  return v
end

-- Returns a unique key for a constant: it differs from all names and from the keys of all other constants.
local function format_constant_key(v)
  if type(v) == "string" then
    return ("%q"):format(v)
  end
  return type(v) == "number" and ("%.17g"):format(v) or tostring(v)
end

-- Returns a function that fetches a loop-invariant value, and the value's key. Returns nil for any other value.
local function get_fetch(v)
  if type(v) ~= "table" then
    return function() return v end, format_constant_key(v)
  elseif v == NIL then
    return function() return nil end, "nil"
  elseif v.kind == "invariant" then
    return v.fetch, v.key
  elseif v.node and v.op == "const" then
    return function() return v.v end, format_constant_key(v.v)
  elseif v.node and v.op == "parameter" and v.v ~= "dt" then
    return ctx.fetches[v.v], v.v
  end
end

-- Hoists a call without side effects out of the loop if its arguments are loop-invariant. Returns the call's results,
-- or nil if the arguments vary.
local function hoist_call(label, f, arguments, count)
  local fetches, keys = {}, {}
  for i = 1, count do
    fetches[i], keys[i] = get_fetch(arguments[i])
    if not fetches[i] then
      return nil
    end
  end
  local function call_with_fetched()
    local fetched = {}
    for i = 1, count do
      fetched[i] = fetches[i]()
    end
    return f(unpack(fetched, 1, count))
  end
  local key, results = label .. "(" .. table.concat(keys, ", ") .. ")", {}
  local ok, result_count = pcall(function() return select("#", call_with_fetched()) end)
  for k = 1, ok and result_count or 1 do
    results[k] = create_invariant(k == 1 and key or key .. " "
      .. k, label, function() return (select(k, call_with_fetched())) end)
  end
  return results
end

-- --- strings and entities, represented by their ids

local function is_text(v)
  return type(v) == "string"
    or type(v) == "table" and (v.kind == "text" or v.kind == "enum"
      or v.kind == "invariant" and type(v.sample) == "string")
end

-- Returns the id of a string. A string that the world has not interned gets a temporary id, which no column contains,
-- for this run.
local function get_text_id(unknown, label)
  local id = text.find(label)
  if id ~= 0 or label == "" then
    return id
  elseif not unknown.ids[label] then
    unknown.count = unknown.count + 1
    unknown.ids[label] = -unknown.count
  end
  return unknown.ids[label]
end

local function to_text_node(v)
  if type(v) == "table" and v.kind == "text" then
    return v.n
  end
  local unknown = ctx.unknown
  if type(v) == "table" and v.kind == "enum" then
    local n = to_text_node(v.choices[1])
    for i = 2, #v.choices do
      n = ir.choose(ir.compare("eq", v.n, i - 1), to_text_node(v.choices[i]), n)
    end
    return n
  end
  local fetch, key = get_fetch(v)
  return get_parameter("text " .. key, function() return get_text_id(unknown, fetch()) end, "id")
end

-- Returns the index of an enum choice. Calls `guard(bad)` with the condition under which a row's value is not a valid
-- choice.
local function to_choice_node(v, choices, guard)
  if type(v) == "table" and v.kind == "enum" and table.concat(v.choices, "\n") == table.concat(choices, "\n") then
    return v.n
  end
  local n, is_none = nil, constant(true)
  for i, choice in ipairs(choices) do
    if v == choice then
      return constant(i - 1)
    elseif type(v) ~= "string" then
      local is_choice, index = ir.compare("eq", to_text_node(v), to_text_node(choice)), ir.mark_index(constant(i - 1))
      n, is_none = n and ir.choose(is_choice, index, n) or index, AND(is_none, NOT(is_choice))
    end
  end
  guard(is_none)
  return n or constant(0)
end

local function is_entity(v)
  return type(v) == "table"
    and (v == ENTITY or v.kind == "handle" or v.kind == "invariant" and type(v.sample) == "userdata")
end

local function to_entity_node(v)
  if v == ENTITY then
    ctx.columns.entity = ctx.columns.entity or { field = { type = "i32" } }
    return ir.load("entity", ctx.columns.entity.field)
  elseif v.kind == "handle" then
    return v.n
  end
  local fetch, key = v.fetch, v.key
  return get_parameter("id " .. key, function() return handle.get_id(fetch()) end, "id")
end

-- --- library functions

local function_handlers

-- Library functions in the order of base/exact_math_arrays.h.
local EXACT = { "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log10", "log", "atan2",
  "pow" }
local NUMBER = {}
for i, name in ipairs(EXACT) do
  NUMBER[name] = i - 1
end

-- Returns the location of the instruction being executed, "lib/inventory.lua:12": an inlined function may be in a
-- different file than the body. In the engine's own functions, returns the line of the call, without a file.
---@return string | integer
function M.get_location()
  local source = debug.getinfo(ctx.fn, "S").source
  if source:find("^@%[shoal%]") then
    return ctx.call_line or ctx.line
  end
  return ("%s:%d"):format(source:gsub("^@", ""), ctx.line)
end

-- Converts a number to 32 bits modulo 2^32. Numbers that are too large for the conversion take a side exit or, in
-- bodies without side exits, are reduced first.
local function to_int32(v)
  return ir.word(v, function(bad, wide_value)
    if ctx.precision then
      return typed.remainder(bad, wide_value)
    end
    ctx.exit_condition, ctx.active = OR(ctx.exit_condition, AND(ctx.now.pred, bad)), OR(ctx.active, ctx.now.pred)
    ctx.exit_locations["a number beyond 2^51 in bit.*"] = M.get_location()
  end)
end

local function add_function(f, argument_count, apply, is_variadic)
  function_handlers[f] = { argument_count, apply, is_variadic }
end

local function add_math_functions(mathematics, shoal)
  for _, op in ipairs { "floor", "ceil", "abs", "sqrt" } do
    add_function(mathematics[op], 1, function(a) return ir.unary(op, a) end)
  end
  for _, name in ipairs(EXACT) do
    add_function(mathematics[name], name == "atan2" and 2 or 1, function(a, b) return ir.exact(NUMBER[name], a, b) end)
  end
  add_function(mathematics.pow, 2, M.create_power)
  for _, op in ipairs { "max", "min" } do
    add_function(mathematics[op], 2, function(a, b, ...)
      a = ir.extreme(op, a, b)
      for i = 1, select("#", ...) do
        a = ir.extreme(op, a, (select(i, ...)))
      end
      return a
    end, true)
    add_function(shoal[op], 2, function(a, b) return ir.extreme(op, a, b) end)
  end
  add_function(mathematics.deg, 1, function(a) return ir.arithmetic("mul", a, 180 / math.pi) end)
  add_function(mathematics.rad, 1, function(a) return ir.arithmetic("mul", a, math.pi / 180) end)
end

local function add_shoal_functions(shoal)
  for _, op in ipairs { "abs", "sqrt", "floor" } do
    add_function(shoal[op], 1, function(a) return ir.unary(op, a) end)
  end
  add_function(shoal.clamp, 3, function(v, low, high)
    return ir.extreme("min", ir.extreme("max", v, low), high)
  end)
  add_function(shoal.lerp, 3, function(a, b, t)
    return ir.arithmetic("add", a, ir.arithmetic("mul", ir.arithmetic("sub", b, a), t))
  end)
end

-- Converts `n`, the result of a bit.* function, to an integer in single precision, even if the operands are constants.
local function convert_bit_result(n)
  return ctx.precision == "single" and typed.convert_to_kind(n, "whole") or n
end

local function add_functions()
  local shoal, bits = env.shoal.math, env.bit
  function_handlers = {}
  add_math_functions(env.math, shoal)
  add_shoal_functions(shoal)
  for name, op in pairs { band = "and", bor = "or", bxor = "xor", lshift = "shl", rshift = "lshr", arshift = "ashr",
    rol = "rol", ror = "ror" } do
    add_function(bits[name], 2, function(a, b) return convert_bit_result(ir.bits(op, to_int32(a), to_int32(b))) end)
  end
  add_function(bits.tobit, 1, function(a) return convert_bit_result(to_int32(a)) end)
  add_function(bits.bnot, 1, function(a) return convert_bit_result(ir.bits("xor", to_int32(a), constant(-1))) end)
end

-- Returns the power a ^ b: `a` or a product for the exponents 1 and 2, otherwise a call to the exact function.
function M.create_power(a, b)
  local n = type(b) == "table" and b.node and b.op == "const" and b.v or b
  if n == 1 then
    return ir.number(a)
  elseif n == 2 then
    return ir.arithmetic("mul", a, a)
  end
  return ir.exact(NUMBER.pow, a, b)
end

-- --- reading and writing columns

local ALIAS = { r = "x", g = "y", b = "z", a = "w" }

function M.field_names(component)
  local names = {}
  for _, item in ipairs(component.writable) do
    names[#names + 1] = item.name or item.base or item.field.name
  end
  return names
end

local function find_field(component_name, name)
  local component = ctx.components[component_name]
  local field = component.by_name[name]
  if not field then
    refuse("unknown field %s.%s%s", component_name, tostring(name), report.hint(name, M.field_names(component)))
  elseif (field.hidden or field.derived) and not field.list then
    refuse("%s.%s, which is hidden or derived", component_name, name)
  end
  return component_name .. "." .. name, field
end

local function to_typed_value(v, field, label)
  if field.type == "enum" then
    return { kind = "enum", n = v, choices = field.choices, label = label }
  elseif field.type == "string" or field.type == "asset" then
    return { kind = "text", n = v, label = label }
  elseif field.type == "entity" then
    return { kind = "handle", n = v, label = label }
  end
  return v
end

-- Returns true if the column is shared: a row may write to another row of the column, so all accesses use row indices,
-- and the writes are made in row order. The first symbolic execution finds the shared columns.
local function is_shared(component_name, name)
  return ctx.assumed["shared " .. component_name .. "." .. name] == true
end

-- Returns the current line of the body, or the line of the call while an inlined function is executed.
local function get_body_line()
  return depth > 1 and ctx.call_line or ctx.line
end

local function read(state, component_name, name)
  local key, field = find_field(component_name, name)
  if is_shared(component_name, name) then
    return M.read_shared(state, component_name, name, M.get_own_row_index(component_name, field))
  end
  local v = state.mem[key] and M.replace_nan(state.mem[key], field) or ir.load(key, field)
  ctx.columns[key] = ctx.columns[key] or { component = component_name, field = field, line = get_body_line() }
  return to_typed_value(v, field, key)
end

function M.is_derived_number(component, name)
  local field = component.by_name[name]
  return field and field.derived and field.type == "f32" and not field.hidden
end

-- Reads a derived number, whose column the run computes before its first row.
function M.read_derived(o)
  local key, field = o.component .. "." .. o.name, components.by_name[o.component].by_name[o.name]
  ctx.columns[key] = ctx.columns[key] or { component = o.component, field = field, line = get_body_line() }
  return ir.load(key, field)
end

-- Called when a row, or code after a loop, gets the column of a derived number from the query's view. Lua computes this
-- column at that time, but machine code computes it before its first row. Both get the same values only if no row
-- writes a column from which the number is derived (check_late_derived).
function M.note_derived(component, name, is_optional)
  if M.is_derived_number(component, name) then
    if is_optional then
      refuse("%s.%s of an optional component", component.name, name)
    elseif ctx.in_row or ctx.loops > 0 then
      ctx.late_derived[component.name] = { name = name, line = ctx.line }
    end
  end
end

-- True while execute_with_commands executes commands as side exits, if all side exits can be deferred. The code of
-- other side exits is not executed symbolically, so its writes are unknown.
M.are_exits_commands = false

-- Checks the columns of derived numbers that rows get from the query's view. Returns the reason and the line if the
-- rows themselves, or rows that run in Lua, may change such a column; nil if no column can change.
function M.check_late_derived()
  for component_name, late in pairs(ctx.late_derived) do
    local may_change = ctx.leaves_body and not M.are_exits_commands
    for _, column in pairs(ctx.columns) do
      may_change = may_change or column.written and column.component == component_name
    end
    if may_change then
      return ("q.%s.%s inside the loop, whose rows may change it: get the column before the loop"):format(
        component_name, late.name), late.line
    end
  end
end

-- Refuses the whole body because of an operation for which a side exit is not possible.
function M.refuse_whole(fmt, ...)
  error({ refused = fmt:format(...), whole = true }, 0)
end

local function take_side_exit(state, reason)
  if ctx.precision then
    M.refuse_whole("%s", reason)
  end
  ctx.exit_condition, ctx.active = OR(ctx.exit_condition, state.pred), OR(ctx.active, state.pred)
  ctx.exit_locations[reason], ctx.took_exit, ctx.leaves_body = M.get_location(), true, true
  ctx.exited_paths, state.dead = ctx.exited_paths + 1, true
end

-- Records that a number may be out of range for its integer column. The code clamps the number, and the run reports it.
local function record_report(state, key, field, is_out_of_range, v)
  is_out_of_range = AND(state.pred, is_out_of_range)
  if ir.is_const(is_out_of_range, false) then
    return
  elseif ctx.inner then
    M.refuse_whole("an inner loop that might write an out-of-range number to %s", key)
  end
  local r = ir.INTEGERS[field.type]
  ctx.reports[#ctx.reports + 1] = { bad = is_out_of_range, value = v, label = key, line = ctx.line,
    min = field.min_valid or r[1], max = r[2] }
end

-- Returns the value that a row reads from a field that it has written: NaN is replaced as in Lua's stores. The code
-- stores the NaN itself, and the run replaces and reports it when the loop ends (native/loop_run.c).
function M.replace_nan(node, field)
  if not field.nan_default or node.t == "i32" or node.op == "const" and node.v == node.v then
    return node
  end
  return ir.choose(ir.compare("eq", node, node), node, constant(field.nan_default))
end

-- Adds a side exit for rows that write NaN to a field that rejects it, and returns the node to store. Used for columns
-- in which the run does not replace NaN: columns of optional components, and columns that a row writes in a different
-- row.
function M.reject_nan(state, key, field, node)
  if field.nan_default and not ctx.precision then
    M.exit_where(state, NOT(ir.compare("eq", node, node)), "NaN for " .. key)
  end
  return M.replace_nan(node, field)
end

local is_writing_column = false -- true while a write to an element of a column is executed: q.health.hp[i] = v

-- Adds a side exit for rows that write an out-of-range number through an accessor: Lua clamps and reports the number. A
-- write to a column is not checked: the column is clamped when the system ends (ecs/ranges.h).
local function check_range(state, key, field, v)
  if not field.range or is_writing_column then
    return
  end
  local is_in_range = constant(true)
  if field.range.low > -math.huge then
    is_in_range = ir.compare("le", field.range.low, v)
  end
  if field.range.high < math.huge then
    is_in_range = AND(is_in_range, ir.compare("le", v, field.range.high))
  end
  if not ir.is_const(is_in_range, true) then
    M.exit_where(state, NOT(is_in_range),
      ("a value for %s, which has a range: write to the column instead"):format(key))
  end
end

-- Converts a value to the type of a column. Returns nil if the row must run in Lua.
local function convert_to_column_type(state, key, field, v)
  key, v = key:gsub("^of others ", ""), M.require_present(v)
  local function guard(is_out_of_range, wide_value)
    if ctx.precision and wide_value then
      return record_report(state, key, field, is_out_of_range, wide_value)
    elseif ctx.precision then
      return M.exit_where(state, is_out_of_range, "a value that does not fit " .. key)
    end
    ctx.exit_condition = OR(ctx.exit_condition, AND(state.pred, is_out_of_range))
    local reason = (field.type == "string" and "a new string for " or "a value that does not fit ") .. key
    ctx.exit_locations[reason] = M.get_location()
  end
  if field.read_only then
    return take_side_exit(state, ("a write to %s, which is read-only"):format(key))
  elseif field.type == "entity" and is_entity(v) then -- stored even if the entity is dead
    return to_entity_node(v)
  elseif field.type == "entity" then
    return take_side_exit(state, ("a value for %s that might not be an entity"):format(key))
  elseif field.names or field.type == "mat4" or field.layers and not ctx.precision then
    return take_side_exit(state, field.names and ("a write to %s, which contains names"):format(key)
      or ("a write to %s, a field of type %s"):format(key, field.type))
  elseif field.type == "string" or field.type == "enum" then
    if field.type == "string" and ctx.precision then
      M.refuse_whole("a write to %s, a string field", key)
    elseif not is_text(v) then
      return take_side_exit(state, ("a value for %s that might not be a string"):format(key))
    end
    v = field.type == "enum" and ir.mark_index(to_choice_node(v, field.choices, guard)) or to_text_node(v)
    if field.type == "string" then
      guard(ir.compare("lt", v, 0))
    end
  end
  v = M.as_number(v)
  check_range(state, key, field, v)
  return ranges.convert_for_store(field, v, key, guard, state.pred, ctx.precision)
end

-- Replaces nil (or an entity that may be nil) with shoal.none when it is written to an element of an entity column.
-- Writes through accessors (e.mote.goal = nil) do not accept nil.
function M.replace_nil_entity(o, v)
  local component = components.by_name[o.component]
  local field = component and component.by_name[o.name]
  if not field or field.type ~= "entity" then
    return v
  elseif v == NIL then
    return { kind = "handle", n = constant(0), label = "shoal.none" }
  elseif type(v) == "table" and v.kind == "maybe" and is_entity(v.v) then
    return { kind = "handle", n = ir.choose(v.present, to_entity_node(v.v), constant(0)), label = "an entity" }
  end
  return v
end

function M.record_written(key, component_name, field)
  local column = ctx.columns[key] or { component = component_name, field = field }
  column.line = column.written and column.line or get_body_line()
  ctx.columns[key], column.written = column, true
end

local function write(state, component_name, name, v, known_key, known_field)
  local key, field = known_key, known_field
  if not key then
    key, field = find_field(component_name, name)
  end
  if is_shared(component_name, name) then
    return M.write_shared(state, component_name, name, M.get_own_row_index(component_name, field), v)
  end
  local node = convert_to_column_type(state, key, field, v)
  if not node then
    return
  end
  M.record_written(key, component_name, field)
  state.mem[key] = node
  state.marks[key], ctx.active = OR(state.marks[key] or constant(false), state.pred), OR(ctx.active, state.pred)
end

M.write = write

local function is_row_number(v)
  return type(v) == "table" and v.kind == "row"
end

-- --- tables and strings created in a row

local MAX_CASES = 24

-- Returns the constants that a string value may equal, with their conditions: { { condition, text }, … }. Returns nil
-- if the value is not a choice between a few constants.
local function list_cases(v)
  if type(v) == "string" or type(v) == "number" then
    return { { constant(true), tostring(v) } }
  elseif type(v) ~= "table" then
    return nil
  elseif v.kind == "enum" then
    local out = {}
    for i, choice in ipairs(v.choices) do
      out[i] = { ir.compare("eq", v.n, i - 1), choice }
    end
    return out
  end
  return v.cases
end

local function select_text(cases)
  if #cases == 1 then
    return cases[1][2]
  end
  local n = to_text_node(cases[1][2])
  for i = 2, #cases do
    n = ir.choose(cases[i][1], to_text_node(cases[i][2]), n)
  end
  return { kind = "text", n = n, cases = cases, label = "a string" }
end

-- Selects one of two strings. If both are choices between few constants, so is the result.
local function choose_text(c, x, y)
  local x_cases, y_cases = list_cases(x), list_cases(y)
  local cases = x_cases and y_cases and #x_cases + #y_cases <= MAX_CASES and {} or nil
  for _, case in ipairs(cases and x_cases or {}) do
    cases[#cases + 1] = { AND(c, case[1]), case[2] }
  end
  for _, case in ipairs(cases and y_cases or {}) do
    cases[#cases + 1] = { AND(NOT(c), case[1]), case[2] }
  end
  return { kind = "text", n = ir.choose(c, to_text_node(x), to_text_node(y)), cases = cases, label = "a string" }
end

-- Concatenates two strings that are choices between a few constants. Returns nil for other strings, or if there are too
-- many combinations.
local function concatenate(a, b)
  local a_cases, b_cases = list_cases(a), list_cases(b)
  if not a_cases or not b_cases or #a_cases * #b_cases > MAX_CASES then
    return nil
  end
  local cases = {}
  for _, first in ipairs(a_cases) do
    for _, second in ipairs(b_cases) do
      cases[#cases + 1] = { AND(first[1], second[1]), first[2] .. second[2] }
    end
  end
  return select_text(cases)
end

-- Creates the symbolic value of a table that the row creates; its fields are in the heap of each path. `frozen`: the
-- table was merged with another table where two paths meet, or is the result; it can no longer be written.
local function new_record(state, fields)
  ctx.record_count = ctx.record_count + 1
  local o = { kind = "record", label = "a table", number = ctx.record_count }
  state.heap[o] = fields
  return o
end

local function write_record(state, o, key, v)
  if type(key) ~= "string" and type(key) ~= "number" then
    refuse("a write to a table with a key that differs by row")
  elseif o.frozen then
    refuse("a write to one of several tables created by the row")
  end
  local fields = {}
  for k, x in pairs(state.heap[o]) do
    fields[k] = x
  end
  fields[key] = v
  state.heap[o] = fields
end

local function to_nil_value(v)
  return v == nil and NIL or v
end

local function choose_fields(c, x, y)
  local fields, keys = {}, {}
  for k in pairs(x) do keys[k] = true end
  for k in pairs(y) do keys[k] = true end
  for _, k in ipairs(sorted_keys(keys)) do -- sorted_keys accepts numbers and strings
    fields[k] = M.choose_value(c, to_nil_value(x[k]), to_nil_value(y[k]))
  end
  return fields
end

-- Merges the heaps of two paths. Returns a function that merges the two tables that a slot contains on these paths.
local function merge_heaps(c, a, b, merged)
  local changed_records = {}
  for o, x in pairs(a.heap) do
    local y = b.heap[o]
    merged.heap[o] = x
    if y and x ~= y then
      changed_records[#changed_records + 1] = o
    end
  end
  for o, y in pairs(b.heap) do
    merged.heap[o] = merged.heap[o] or y
  end
  table.sort(changed_records, function(o, p) return o.number < p.number end)
  for _, o in ipairs(changed_records) do
    merged.heap[o] = choose_fields(c, a.heap[o], b.heap[o])
  end
  local cache = {}
  return function(x, y)
    if type(x) ~= "table" or type(y) ~= "table" or x == y or x.kind ~= "record" or y.kind ~= "record" then
      return nil
    end
    cache[x] = cache[x] or {}
    if not cache[x][y] then
      cache[x][y] = new_record(merged, choose_fields(c, a.heap[x], b.heap[y]))
      x.frozen, y.frozen, cache[x][y].frozen = true, true, true
    end
    return cache[x][y]
  end
end

local AXES = { { "x", "r" }, { "y", "g" }, { "z", "b" }, { "w", "a" } }

-- Returns a component of a vector value, which may be a list, { x = …, y = … } or a colour. Returns nil if the
-- component is missing.
local function read_vector_component(state, target, base, v, i)
  if type(v) == "string" then
    return value.vector_part(target, base, v, i)
  end
  local keys = v.kind == "parts" and { AXES[i][1] } or { i, AXES[i][1], AXES[i][2] }
  for _, key in ipairs(keys) do
    local part = M.index(state, v, key)
    if part ~= NIL then
      return part
    end
  end
end

-- Assigns a value to a vector field, such as e.shape.colour = { r, g, b, 1 }. Writes only the components that the value
-- contains.
local function write_vector(state, component_name, base, v)
  local target = ctx.components[component_name]
  local parts, is_plain = target.vectors[base], type(v) == "string" and v:find("^#%x+$") ~= nil
    and (#v == 7 or #v == 9)
  if type(v) == "table" and v.kind == "parts" then
    is_plain = #ctx.components[v.component].vectors[v.name] == #parts
  elseif type(v) == "table" then
    is_plain = v.kind == "record" or v.kind == "concrete" and type(v.v) == "table" and getmetatable(v.v) == nil
  end
  if not is_plain then
    refuse("an assignment to %s.%s that is not a table of numbers: assign each component", component_name, base)
  end
  local new_parts = {}
  for i in ipairs(parts) do
    new_parts[i] = read_vector_component(state, target, base, v, i) or NIL
    if new_parts[i] ~= NIL then
      ir.number(to_node(new_parts[i]))
    end
  end
  for i, part in ipairs(parts) do
    if new_parts[i] ~= NIL then
      M.write(state, component_name, part.name, new_parts[i])
    end
  end
end

-- --- loop-carried values

-- Node type by kind of loop-carried value. Loop-carried values are the singleton fields and the locals assigned before
-- the loop that rows write, and the state of the random number generator. Each row uses the value left by the previous
-- row, so rows are processed in order. The first symbolic execution finds these values; the function is then executed
-- again.
local CARRIED = { number = "f64", boolean = "bool", id = "i32", bits = "i32" }

-- Declares a loop-carried value and returns its node. `put` writes the final value back. In single precision the kind
-- of the value must be able to represent all values assigned to it, which are known after the first symbolic execution.
local function declare_carried(key, fetch, kind, put, assumed_kind)
  if not ctx.carried_nodes[key] then
    get_parameter(key, fetch, kind)
    local number_kind = ctx.precision == "single" and kind == "number"
      and (assumed_kind or ctx.assumed["kind of " .. key] or "free")
    local n = ir.make("carried", number_kind == "f32" and "f32"
      or CARRIED[kind], nil, nil, nil, key, -2 ^ 31, 2 ^ 31 - 1)
    n.kind = number_kind or nil
    ctx.carried_nodes[key] = n
    ctx.carried_list[#ctx.carried_list + 1] = { key = key, kind = kind, put = put }
  end
  return ctx.carried_nodes[key]
end

-- Returns the name of a singleton, given its accessor; nil for any other value.
local function find_single_name(accessor)
  for _, component in pairs(type(accessor) == "table" and getmetatable(accessor) ~= nil and components.by_name or {}) do
    if component.kind == "single" and rawequal(rawget(components.generated.single, component.name), accessor) then
      return component.name
    end
  end
end

M.find_single_name = find_single_name

local function get_carried_field(name, field_name)
  local field = components.by_name[name].by_name[field_name]
  local kind = field and not (field.hidden or field.derived or field.read_only)
    and (field.type == "bool" and "boolean" or (ir.INTEGERS[field.type] or field.type == "f32" or field.type == "f64")
      and field.type ~= "enum" and "number")
  return kind and field, kind
end

local function carry_single(name, field_name)
  local field, kind = get_carried_field(name, field_name)
  return declare_carried(("single %s.%s"):format(name, field_name), function()
    return env.world.single[name][field_name]
  end, kind, function(v) env.world.single[name][field_name] = v end, ir.INTEGERS[field.type] and "whole" or field.type)
end

-- Returns the loop-carried value of a singleton's field, or nil if no row writes the field.
local function read_single(state, name, field_name)
  local key = ("single %s.%s"):format(name, tostring(field_name))
  if not ctx.assumed[key] then
    return nil
  end
  if not ctx.in_row then -- code before the loop is executed again when a row runs in Lua
    error({ refused = ("a read of world.single.%s, which rows write, before the loop"):format(name), whole = true }, 0)
  end
  return state.mem[key] or carry_single(name, field_name)
end

local function write_single(state, name, field_name, v)
  local key, field, kind = ("single %s.%s"):format(name, field_name), get_carried_field(name, field_name)
  if not ctx.in_row then
    refuse("a write to world.single.%s before the loop", name)
  elseif not field then
    return take_side_exit(state, ("a write to world.single.%s.%s"):format(name, field_name))
  end
  local function guard(is_out_of_range, wide_value)
    if ctx.precision and wide_value then
      return record_report(state, name .. "." .. field_name, field, is_out_of_range, wide_value)
    end
    ctx.exit_condition = OR(ctx.exit_condition, AND(state.pred, is_out_of_range))
    local reason = ("a value that does not fit %s.%s"):format(name, field_name)
    ctx.exit_locations[reason], ctx.took_exit = M.get_location(), true
  end
  v = M.as_number(v)
  check_range(state, name .. "." .. field_name, field, v)
  local node = ranges.convert_for_store(field, v, key, guard, state.pred, ctx.precision)
  ctx.found[key] = true
  if carry_single(name, field_name) then
    local written_key = "written " .. key
    local was_written = state.mem[written_key] or declare_carried(written_key, function() return false end, "boolean")
    state.mem[written_key] = OR(was_written, state.pred)
  end
  state.mem[key] = kind == "number" and M.to_carried(node, ctx.carried_nodes[key]) or node
  ctx.active = OR(ctx.active, state.pred)
end

-- --- other entities

-- Kinds of entity lookups (native_lookup_kind_t). The result of a lookup is negative if the entity or its component is
-- missing. It is -2 for the row or state of an entity whose spawn is queued, which only Lua can read. For "alive", the
-- result is also negative if a queued command destroys the entity.
local LOOKUP_KINDS = { row = 0, alive = 1, exists = 2, state = 3 }

local function look_up_entity(lookup_kind, id, component_name)
  local key = lookup_kind .. (component_name and " " .. component_name or "")
  if not ctx.lookups[key] then
    ctx.lookup_list[#ctx.lookup_list + 1] = { kind = LOOKUP_KINDS[lookup_kind], component = component_name }
    ctx.lookups[key] = #ctx.lookup_list
  end
  return ir.make("find", "i32", id, nil, nil, ctx.lookups[key] - 1, -2, 2 ^ 31 - 1)
end

local function add_exit_where(state, condition, reason)
  condition = AND(state.pred, condition)
  if ir.is_const(condition, false) then
    return
  end
  ctx.failures[#ctx.failures + 1] = { reason = reason, line = ctx.line }
  ctx.exit_condition, ctx.active = OR(ctx.exit_condition, condition), OR(ctx.active, state.pred)
  ctx.exit_locations[reason], ctx.took_exit = M.get_location(), true
end

M.exit_where = add_exit_where

local function is_maybe(v)
  return type(v) == "table" and v.kind == "maybe"
end

local function create_maybe(present, v)
  if ir.is_const(present) then
    return present.v and v or NIL
  end
  return { kind = "maybe", present = present, v = v, label = "a value that might be nil" }
end

-- Unwraps a value that may be nil, for a use where nil would be an error: rows in which it is nil take a side exit, and
-- Lua raises the error.
local function require_present(v)
  if not is_maybe(v) then
    return v
  elseif not ctx.in_row then
    refuse("a value before the loop that might be nil")
  end
  add_exit_where(ctx.now, NOT(v.present), "a value that is nil")
  return v.v
end
M.require_present = require_present

-- Declares a column that is accessed at arbitrary rows: a column of another entity, a column of a component that is not
-- in the query, or a shared column. Returns its key and its field.
local function declare_random_access_column(name, field_name)
  local component = components.by_name[name]
  local field = component.by_name[field_name]
  if not field or (field.hidden or field.derived) and not field.list then
    refuse("%s.%s (the field is unknown, hidden or derived)", name, field_name)
  end
  local key = "of others " .. name .. "." .. field_name
  ctx.columns[key] = ctx.columns[key] or { component = name, field = field, any_row = true, line = get_body_line() }
  return key, field
end

local MAX_WRITES = 16 -- maximum writes to shared columns per row

-- Returns this row's index in a component.
function M.get_own_row_index(component_name, field)
  if not ctx.record or not ctx.components[component_name] then
    return ir.extreme("max", look_up_entity("row", to_entity_node(ENTITY), component_name), constant(0))
  end
  local k = ir.make("row", "i32", nil, nil, nil, nil, 1, 2 ^ 22)
  return M.map_row(ctx.record, component_name, field, ir.arithmetic("sub", k, 1))
end

-- Adds a guard that rows of the query have the same indices in the component. Returns false if the indices differ, or
-- if the loop is compiled without guards of this kind.
function M.assume_aligned(record, component_id)
  if not (ctx.steps and ctx.steps.has_guards) then
    return false
  end
  local key = ("aligned %d %d"):format(record.number, component_id)
  local function is_aligned()
    return abi.C.native_is_query_aligned(record.query, component_id)
  end
  if not ctx.assumptions[key] and is_aligned() then
    ctx.assumptions[key] = true
    add_check(true, is_aligned)
  end
  return ctx.assumptions[key] == true
end

-- Returns the index, counted from 0, of a row at a fixed distance from the loop's row, and adds a guard that this row
-- belongs to the query for all rows of the loop. Returns nil if the distance is not fixed, if the guard fails, or if
-- the loop is compiled without guards of this kind.
function M.assume_valid_row(k, record)
  local offset = ctx.steps and ctx.steps.has_guards and row_offsets.find(k)
  if not offset or offset.is_calculated then
    return nil
  end
  local key = ("valid %d %s"):format(record.number, row_offsets.format(offset))
  if ctx.assumptions[key] == nil then
    local is_valid = row_offsets.create_guard(offset, ctx.fetches, ctx.steps, record.query)
    local ok, is_met = pcall(is_valid)
    ctx.assumptions[key] = ok and is_met
    if ok and is_met then
      add_check(true, is_valid)
    end
  end
  local last_row = ir.make("whole", "i32", ir.double.arithmetic("sub", M.get_row_count(record), constant(1)), nil, nil,
    "last row", -1, 2 ^ 22)
  return ctx.assumptions[key] and ir.make("row_at", "i32", row_offsets.to_node(offset), last_row, nil, nil, 0, 2 ^ 22)
    or nil
end

-- If row number `k` differs from the loop's row number by a loop-invariant distance, stores the distance in `index`,
-- the IR node of row `k`'s index in a component. Such indices often denote contiguous rows (emit.lua).
function M.record_shift(record, k, index)
  local offset = row_offsets.find(k)
  if offset then
    M.get_row_count(record)
    index.shift = { offset = offset, count = "count of " .. record.number, map = index.op == "mapped" and index.v }
  end
  return index
end

-- Maps a query row, counted from 0, to the row index of its entity in a component.
function M.map_row(record, component_name, field, query_row)
  if M.assume_aligned(record, components.by_name[component_name].id) then
    return query_row
  end
  local map_key = ("rows %d %s"):format(record.number, component_name)
  ctx.columns[map_key] = ctx.columns[map_key] or { component = component_name, field = field, of = record, rows = true }
  return ir.make("mapped", "i32", query_row, nil, nil, map_key, 0, 2 ^ 31 - 1)
end

-- Reads a shared column: returns the value that this row has already written at that index, or else the column's
-- current value.
function M.read_shared(_, component_name, name, row)
  local key, field = declare_random_access_column(component_name, name)
  ctx.reads_shared[key] = true
  local v = ir.gather(key, field, row)
  for _, shared_write in ipairs(ctx.writes) do
    if shared_write.key == key then
      v = ir.choose(AND(shared_write.pred, ir.compare("eq", shared_write.row, row)), shared_write.value, v)
    end
  end
  return to_typed_value(v, field, key)
end

function M.write_shared(state, component_name, name, row, v)
  if ctx.inner then
    error({ refused = ("a write to %s.%s of other rows in an inner loop"):format(component_name, name),
      whole = true }, 0)
  elseif not ctx.in_row then
    error({ refused = ("a write to %s.%s outside the loop"):format(component_name, name), whole = true }, 0)
  end
  local key, field = declare_random_access_column(component_name, name)
  local node = convert_to_column_type(state, key, field, v)
  if not node then
    return
  end
  if #ctx.writes == MAX_WRITES then
    refuse("more than %d writes to other rows", MAX_WRITES)
  end
  node = M.reject_nan(state, key, field, node)
  M.record_written(key)
  ctx.writes[#ctx.writes + 1] = { key = key, row = row, value = node, pred = state.pred }
  ctx.active = OR(ctx.active, state.pred)
end

-- Writes to an arbitrary row of a column, and marks the column as shared for the next symbolic execution.
local function write_other_row(state, component_name, name, row, v)
  ctx.found["shared " .. component_name .. "." .. name] = true
  M.write_shared(state, component_name, name, row, v)
end

local function find_other_row(state, o)
  local row = look_up_entity("row", o.id, o.component)
  add_exit_where(state, ir.compare("lt", row, 0), "an entity without " .. o.component)
  return row
end

-- Reads a field of another entity at a row of its component. If the row is -1, the result must not be used.
function M.read_other_field(state, o, field_name, row)
  local key, field = declare_random_access_column(o.component, field_name)
  if is_shared(o.component, field_name) then
    return M.read_shared(state, o.component, field_name, row)
  end
  if o.own and state.mem[key] then
    return to_typed_value(M.replace_nan(state.mem[key], field), field, key)
  end
  if not o.own or ctx.components[o.component] then
    ctx.read_elsewhere[o.component .. "." .. field_name] = true
  end
  return to_typed_value(ir.gather(key, field, row), field, key)
end

local function read_other(state, o, field_name)
  return M.read_other_field(state, o, field_name, find_other_row(state, o))
end

local function has_component(state, o, name)
  local component = type(name) == "string" and components.by_name[name]
  if not component or component.kind ~= "component" then
    refuse("has(%s), which is not a component", tostring(name))
  elseif not o.own then
    add_exit_where(state, ir.compare("lt", look_up_entity("exists", o.id), 0), "a dead entity")
  end
  local row = look_up_entity("row", o.id, component.name)
  if not o.own then
    add_exit_where(state, ir.compare("lt", row, -1), "an entity whose spawn is queued")
  end
  return ir.compare("le", 0, row)
end

local function read_state(state, o)
  local id = look_up_entity("state", o.id)
  if ctx.precision then
    M.refuse_whole("e:state()")
  end
  add_exit_where(state, ir.compare("le", id, 0), "an entity without a state")
  return { kind = "text", n = id, label = "the state" }
end

-- Entity methods without side effects. o.id: id of the entity; o.own: true if it is the row's own entity.
local ROW_METHODS = {
  alive = function(_, o) return ir.compare("le", 0, look_up_entity("alive", o.id)) end,
  has = has_component,
  state = read_state,
}

-- Returns the path of a member of a component or of one of its records: "colors.r". `o.path`: path of the record.
local function join_path(o, key)
  return o.path and o.path .. "." .. tostring(key) or key
end

-- Writes to a component of another entity, or to a component of the row's own entity that is not in the query.
function M.write_other(state, o, name, v)
  local component = components.by_name[o.component]
  local field_name = o.kind == "other_parts" and o.name .. "." .. tostring(ALIAS[name] or name) or join_path(o, name)
  if component.vectors[field_name] or component.records[field_name] or component.lists[field_name] then
    return take_side_exit(state, ("a write to %s.%s"):format(o.label, tostring(name)))
  elseif not o.own or is_shared(o.component, field_name) then
    return write_other_row(state, o.component, field_name, find_other_row(state, o), v)
  end
  local key, field = declare_random_access_column(o.component, field_name)
  local row = find_other_row(state, o)
  if ctx.own_rows[key] and ctx.own_rows[key] ~= row then
    refuse("%s, after a write to q.%s", o.label, o.component)
  end
  ctx.own_rows[key] = row
  write(state, o.component, field_name, v, key, field)
end

-- --- columns of optional components

-- Returns the row of an optional component, or -1 if the entity lacks the component.
function M.load_optional_row(component_name)
  local key = "has " .. component_name
  ctx.columns[key] = ctx.columns[key] or { component = component_name, presence = true, field = { type = "i32" } }
  return ir.load(key, ctx.columns[key].field)
end

-- Returns the key and the field of an optional component's column, the row's index in that component, and the
-- condition under which the entity has the component. Rows without it take a side exit: Lua raises the error.
function M.find_optional_column(state, o, row_number)
  if not is_row_number(row_number) then
    refuse("%s of another row", o.label)
  elseif components.by_name[o.component].kind ~= "component" then
    refuse("%s, of an optional `%s` component", o.label, components.by_name[o.component].kind)
  end
  local key, field = declare_random_access_column(o.component, o.name)
  local row = M.load_optional_row(o.component)
  local present = ir.compare("le", 0, row)
  if ctx.own_rows[key] and ctx.own_rows[key] ~= row then
    refuse("%s, after a write through the entity", o.label)
  end
  add_exit_where(state, NOT(present), "a row without " .. o.component)
  return key, field, row, present
end

function M.read_optional(state, o, row_number)
  local key, field, row, present = M.find_optional_column(state, o, row_number)
  if is_shared(o.component, o.name) then
    return M.read_shared(state, o.component, o.name, row)
  end
  local v = state.mem[key] and M.replace_nan(state.mem[key], field) or ir.gather(key, field, row, present)
  return to_typed_value(v, field, key)
end

function M.write_optional(state, o, row_number, v)
  local key, field, row, present = M.find_optional_column(state, o, row_number)
  if is_shared(o.component, o.name) then
    return M.write_shared(state, o.component, o.name, row, v)
  elseif field.nan_default then
    v = M.as_number(M.require_present(v))
    v = M.reject_nan(state, key, field, type(v) == "number" and constant(v) or v)
  end
  ctx.own_rows[key], ctx.own_present[key] = row, present
  write(state, o.component, o.name, v, key, field)
end

-- Returns an entry of a constant table, and adds a guard that it is unchanged.
function M.get_entry(t, key)
  local v, checked_keys = rawget(t, key), ctx.checked_entries[t] or {}
  ctx.checked_entries[t] = checked_keys
  if not checked_keys[key] then
    checked_keys[key] = true
    add_check(v, function() return rawget(t, key) end)
  end
  return v
end

-- Indexes a table of the script or a library.
local function index_concrete(state, o, key)
  local t = o.v
  if find_single_name(t) then
    return M.index(state, create_invariant("world.single." .. find_single_name(t), "a singleton",
      function() return t end),
      key)
  end
  if type(key) == "table" and key.kind == "invariant" and type(key.sample) == "string" then
    add_check(key.sample, key.fetch)
    key = key.sample
  end
  if type(t) ~= "table" then
    refuse("indexing a %s", type(t))
  elseif ctx.libraries[t] then
    local ok, v = pcall(function() return t[key] end)
    return ok and to_symbolic(v) or refuse("%s", tostring(v):gsub("^[^:]+:%d+: ", ""))
  elseif getmetatable(t) ~= nil and not hidden_state.is_constant[t] then
    if type(key) ~= "string" and type(key) ~= "number" then
      refuse("indexing a table that has a metatable with a key that is not a constant number or string")
    end
    return M.get_invariant(t, key)
  elseif type(key) ~= "string" and type(key) ~= "number" and type(key) ~= "boolean" then
    return M.select_entry(state, t, key)
  end
  return to_symbolic(M.get_entry(t, key))
end

local INDEX = {
  view = function(_, o, key)
    local name = scope.name("component", key)
    if key == "count" and ctx.in_row then
      return M.get_row_count(o.record)
    elseif key == "count" then
      return { kind = "count", label = "q.count", record = o.record }
    elseif type(name) == "string" and not ctx.components[name] and ctx.optional[name] then
      return { kind = "component", name = name, label = "q." .. key, record = o.record, optional = true }
    elseif type(name) == "string" and ctx.components[name] then
      return { kind = "component", name = name, label = "q." .. key, record = o.record }
    elseif key == "entity" then
      return { kind = "entities", label = "q.entity" }
    elseif key == "has" then
      return { kind = "presences", label = "q.has" }
    end
    refuse("q.%s, which is not a component that every row has%s", tostring(key),
      report.suggest(key, ctx.components))
  end,
  other_query = function(_, o, key)
    if key == "count" and ctx.in_row and not o.name then
      return M.get_row_count(o.record)
    end
    return o.children[key] or not o.path and o.children[ALIAS[key] or key] or refuse("%s.%s of another query", o.label,
      tostring(key))
  end,
  component = function(_, o, key)
    local component, path = components.by_name[o.name], join_path(o, key)
    if component.records[path] then
      return { kind = "component", name = o.name, path = path, label = o.label .. "." .. key, record = o.record,
        optional = o.optional }
    elseif component.lists[path] and o.optional then
      refuse("%s.%s, a list of an optional component", o.label, key)
    elseif component.lists[path] then
      return { kind = "list_column", component = o.name, name = path, label = o.label .. "." .. key, record = o.record }
    elseif component.vectors[path] then
      return { kind = "vector", component = o.name, name = path, label = o.label .. "." .. key, record = o.record,
        optional = o.optional }
    end
    M.note_derived(component, path, o.optional)
    return { kind = "column", component = o.name, name = path, label = o.label .. "." .. tostring(key),
      record = o.record, optional = o.optional }
  end,
  vector = function(_, o, key)
    return { kind = "column", component = o.component, name = o.name .. "." .. tostring(ALIAS[key] or key),
      label = o.label, record = o.record, is_other = o.is_other, optional = o.optional }
  end,
  column = function(state, o, key)
    if key == "raw" and o.optional then
      refuse("%s:raw, of an optional component", o.label)
    elseif key == "raw" then
      return { kind = "raw", column = o, label = o.label .. ":raw" }
    elseif not ctx.in_row then
      error({ refused = ("a read of %s outside the loop"):format(o.label), whole = true }, 0)
    elseif o.optional then
      return M.read_optional(state, o, key)
    elseif o.is_other or not is_row_number(key) then
      return M.read_at(state, o, key)
    end
    return M.is_derived_number(components.by_name[o.component], o.name) and M.read_derived(o)
      or read(state, o.component, o.name)
  end,
  list_column = function(_, o, key)
    if not ctx.in_row then
      error({ refused = ("a read of %s outside the loop"):format(o.label), whole = true }, 0)
    end
    local row_number = not (is_row_number(key) and not o.is_other) and key or nil
    return { kind = "list", component = o.component, name = o.name, at = row_number, record = o.record,
      is_other = o.is_other,
      label = o.label }
  end,
  lookup_list = function(_, o, key)
    if not is_entity(key) then
      refuse("%s of a value that is not an entity", o.label)
    elseif key == ENTITY and ctx.components[o.component] then
      return { kind = "list", component = o.component, name = o.name, label = o.label }
    end
    local row = look_up_entity("row", to_entity_node(key), o.component)
    ctx.looks_up = true
    return create_maybe(ir.compare("le", 0, row), { kind = "list", component = o.component, name = o.name, row = row,
      own = key == ENTITY, label = o.label })
  end,
  list = function(state, o, key)
    if key == "add" or key == "remove" then
      return { kind = "list_method", name = key, list = o, label = ("a call to %s:%s"):format(o.label, key) }
    end
    return M.list_value(state, o, key)
  end,
  presences = function(_, _, key)
    if not ctx.optional[key] then
      refuse("q.has.%s, which is not an optional component of the query", tostring(key))
    end
    return { kind = "presence", component = key, label = "q.has." .. key }
  end,
  presence = function(_, o, key)
    if not is_row_number(key) then
      refuse("%s of another row", o.label)
    end
    return ir.compare("le", 0, M.load_optional_row(o.component))
  end,
  entities = function(_, _, key)
    if not is_row_number(key) then
      refuse("q.entity of another row")
    end
    return ENTITY
  end,
  entity = function(_, _, key)
    local component = type(key) == "string" and ctx.components[scope.name("component", key)]
    if component and component.kind ~= "many" then
      return { kind = "accessor", name = component.name, label = "e." .. key }
    end
    return M.read_entity_member(key, to_entity_node(ENTITY), true, "e")
  end,
  tiles = function(_, o, key)
    return { kind = "method", name = tostring(key), tiles = o, label = o.label .. ":" .. tostring(key) }
  end,
  handle = function(_, o, key)
    return M.read_entity_member(key, o.n, false, o.label)
  end,
  other = function(state, o, key)
    local component, path = components.by_name[o.component], join_path(o, key)
    local functions = not o.path and component.functions
    if functions and key == "entity" then
      return o.own and ENTITY or { kind = "handle", n = o.id, label = o.label .. ".entity" }
    elseif functions and functions[key] then
      find_other_row(state, o) -- rows without the behaviour run in Lua, which raises the error
      return to_symbolic(functions[key])
    elseif component.records[path] then
      return { kind = "other", component = o.component, path = path, id = o.id, own = o.own, label = o.label .. "."
        .. key }
    elseif component.lists[path] then
      return { kind = "list", component = o.component, name = path, row = find_other_row(state, o), own = o.own,
        label = o.label .. "." .. key }
    elseif component.vectors[path] then
      return { kind = "other_parts", component = o.component, name = path, id = o.id, own = o.own, label = o.label
        .. "." .. key }
    end
    return read_other(state, o, path)
  end,
  other_parts = function(state, o, key)
    return read_other(state, o, o.name .. "." .. tostring(ALIAS[key] or key))
  end,
  lookup = function(_, o, key)
    local component, path = components.by_name[o.component], join_path(o, key)
    if component.records[path] then
      return { kind = "lookup", component = o.component, path = path, label = o.label .. "." .. key }
    elseif component.lists[path] then
      return { kind = "lookup_list", component = o.component, name = path, label = o.label .. "." .. key }
    elseif component.vectors[path] then
      return { kind = "lookup_part", component = o.component, name = path, label = o.label .. "." .. key }
    end
    return { kind = "lookup_field", component = o.component, name = path, label = o.label .. "." .. tostring(key) }
  end,
  lookup_part = function(_, o, key)
    return { kind = "lookup_field", component = o.component, name = o.name .. "." .. tostring(ALIAS[key] or key),
      label = o.label }
  end,
  lookup_field = function(state, o, key)
    if key == NIL then
      return NIL
    elseif is_maybe(key) then
      return create_maybe(key.present, M.look_up(state, o, key.v))
    end
    return M.look_up(state, o, key)
  end,
  accessor = function(state, o, key)
    local component, path = ctx.components[o.name], join_path(o, key)
    if component.records[path] then
      return { kind = "accessor", name = o.name, path = path, label = o.label .. "." .. key }
    elseif component.lists[path] then
      return { kind = "list", component = o.name, name = path, label = o.label .. "." .. key }
    elseif component.vectors[path] then
      return { kind = "parts", component = o.name, name = path, label = o.label .. "." .. key }
    end
    local functions = not o.path and component.functions
    if functions and key == "entity" then
      return ENTITY
    elseif functions and functions[key] then
      return to_symbolic(functions[key])
    end
    return read(state, o.name, path)
  end,
  parts = function(state, o, key)
    return read(state, o.component, o.name .. "." .. tostring(ALIAS[key] or key))
  end,
  world = function(_, _, key)
    if key == "single" then
      return WORLD_SINGLE
    elseif key == "tick" or key == "time" then
      return get_parameter("world." .. key, function() return env.world[key] end, "number")
    end
    return { kind = "method", name = "world." .. tostring(key), label = "world." .. tostring(key) }
  end,
  singles = function(_, _, key)
    if type(key) ~= "string" then
      refuse("world.single with a name that differs by row")
    end
    return create_invariant("world.single." .. key, "world.single." .. key, function() return env.world.single[key] end)
  end,
  input = function(_, _, key)
    return { kind = "method", name = "input." .. tostring(key), label = "input." .. tostring(key) }
  end,
  method = function(_, o, key)
    if o.name ~= "input.mouse" or key ~= "dx" and key ~= "dy" then
      refuse("a member of %s", o.label)
    end
    local label = "input.mouse." .. key
    return create_invariant(label, label, function() return env.input.mouse[key] end)
  end,
  invariant = function(state, o, key)
    local single_name = type(key) == "string" and find_single_name(o.sample)
    local carried = single_name and read_single(state, single_name, key)
    if carried then
      return carried
    end
    local fetch_key, key_name = get_fetch(key)
    if not fetch_key then
      refuse("%s with a key that differs by row", o.label)
    end
    local fetch, is_entity_value = o.fetch, type(o.sample) == "userdata"
    local name = type(key) == "string" and key or key_name
    local label = o.label .. "." .. name
    local component = is_entity_value and components.by_name[key]
    if is_entity_value and not component then
      return { kind = "method", name = tostring(key), of = o, label = o.label .. ":" .. name }
    elseif component and component.kind ~= "component" then
      refuse("%s, which is a `%s` component", label, component.kind)
    elseif o.component then
      local is_vector = o.base and components.by_name[o.component].vectors[o.base]
      ctx.fixed_entities[o.component .. "." .. (o.base and o.base .. "." .. (is_vector and ALIAS[key] or name) or name)]
        = o.entity
    end
    return create_invariant(o.key .. "." .. key_name, label, function() return fetch()[fetch_key()] end, {
      component = component and component.name or o.component,
      base = o.component and (o.base and o.base .. "." .. name or key) or nil, entity = component and o or o.entity })
  end,
  concrete = index_concrete,
  record = function(state, o, key)
    if type(key) ~= "string" and type(key) ~= "number" then
      refuse("a read from a table created by the row with a key that differs by row")
    end
    local v = state.heap[o][key]
    return v == nil and NIL or v
  end,
  selection = function(state, o, key) return M.index_selection(state, o, key) end,
}

-- Reads a field of an entity through world.lookup: nil if the entity is dead or lacks the component.
function M.look_up(state, o, key)
  if not is_entity(key) then
    refuse("%s of a value that is not an entity", o.label)
  elseif key == ENTITY and ctx.components[o.component] then
    return read(state, o.component, o.name)
  end
  local target = { component = o.component, id = to_entity_node(key), own = key == ENTITY }
  local row = look_up_entity("row", target.id, target.component)
  ctx.looks_up = true -- no side exit for queued entities, which would prevent deferral: see prepare_run in compile.lua
  return create_maybe(ir.compare("le", 0, row), M.read_other_field(state, target, o.name, row))
end

-- --- lists

-- Reads a column of a list and returns a node. Column 0 contains the number of values. `o` is a symbolic list. It
-- belongs to row `o.row` of the component (if that is -1, the result must not be used), to row number `o.at` of a
-- query, or, if both are nil, to the current row.
local function read_list_column(state, o, column_number)
  local name, v = o.name .. (column_number == 0 and ".count" or "." .. column_number)
  if o.row then
    v = M.read_other_field(state, o, name, o.row)
  elseif o.at then
    v = M.read_at(state, { component = o.component, name = name, label = o.label, record = o.record,
      is_other = o.is_other }, o.at)
  else
    v = read(state, o.component, name)
  end
  return type(v) == "table" and not v.node and v.n or v
end

function M.list_length(state, o)
  local count = read_list_column(state, o, 0)
  ctx.lengths[count] = components.by_name[o.component].lists[o.name].capacity
  return count
end

-- Returns true if every row that takes this path has at least `k` values in the list. This is known if k is a constant
-- and a condition of the path implies it, or if k is the index of an inner loop that ends at the length of the list.
local function has_value(state, count, k)
  if type(k) == "number" then
    return ranges.is_at_least(count, k, state.pred)
  end
  local loop = ctx.inner
  return loop ~= nil and loop.is_count and k == loop.index.node and (loop.stop == count or loop.stop.a == count)
end

-- Returns an index of a list as a constant or a node, and the condition under which it is an integer of at least 1.
local function list_index(o, key)
  local k = M.as_number(key)
  if type(k) == "number" then
    return k, constant(k >= 1 and k % 1 == 0)
  elseif type(k) ~= "table" or not k.node or k.t == "bool" then
    refuse("an index of %s that might not be a number", o.label)
  elseif ctx.precision == "single" and k.t ~= "i32" and typed.get_kind(k) ~= "whole" then
    M.refuse_whole("a calculated index of %s that might not be an integer", o.label)
  end
  if ctx.inner and ctx.inner.is_count and k == ctx.inner.index.node then
    return k, constant(true)
  end
  return k, AND(ir.compare("le", 1, k), ir.compare("eq", ir.unary("floor", k), k))
end

-- Reads value `key` of a list: nil past the end. For an invalid index, the row takes a side exit. An index that differs
-- by row selects one of the columns, because rows of a vector may read different ones.
function M.list_value(state, o, key)
  local list = components.by_name[o.component].lists[o.name]
  local k, is_valid = list_index(o, key)
  add_exit_where(state, NOT(is_valid), "an invalid index of " .. o.label)
  if type(k) == "number" and k > list.capacity then
    return NIL
  end
  local node = read_list_column(state, o, type(k) == "number" and k or 1)
  for value_number = 2, type(k) == "number" and 0 or list.capacity do
    node = ir.choose(ir.compare("eq", k, value_number), read_list_column(state, o, value_number), node)
  end
  local count = read_list_column(state, o, 0)
  local present = has_value(state, count, k) and constant(true) or ir.compare("le", k, count)
  return create_maybe(present, to_typed_value(node, list.values[1], o.component .. "." .. o.name))
end

-- Adds a side exit for rows that write a value outside a list's range, which Lua clamps and reports.
local function check_list_range(state, o, list, v)
  local range = list.range
  if range then
    local number = M.as_number(v)
    local is_in_range = AND(range.low == -math.huge and constant(true) or ir.compare("le", range.low, number),
      range.high == math.huge and constant(true) or ir.compare("le", number, range.high))
    add_exit_where(state, NOT(is_in_range), ("a value out of the range of %s"):format(o.label))
  end
end

-- Returns true if the list belongs to the row itself and no other row writes its columns.
function M.is_own_list(o, list)
  local is_own = not (o.row or o.at) and ctx.components[o.component] ~= nil
    and not is_shared(o.component, list.count.name)
  for _, field in ipairs(is_own and list.values or {}) do
    is_own = is_own and not is_shared(o.component, field.name)
  end
  return is_own
end

-- Returns an index of an existing value as a constant or a node, and the number of values. For an invalid index, the
-- row takes a side exit.
function M.check_list_index(state, o, key)
  local k, is_valid = list_index(o, key)
  local count = read_list_column(state, o, 0)
  local is_present = has_value(state, count, k) and constant(true) or ir.compare("le", k, count)
  add_exit_where(state, NOT(AND(is_valid, is_present)), "an invalid index of " .. o.label)
  return k, count
end

-- Writes value `key` of a list of the row itself. For an index past the end, the row takes a side exit.
function M.write_list_value(state, o, key, v)
  local list, component_name = components.by_name[o.component].lists[o.name], o.component
  if not M.is_own_list(o, list) then
    return take_side_exit(state, ("a write to %s of another row"):format(o.label))
  end
  local k = M.check_list_index(state, o, key)
  check_list_range(state, o, list, v)
  if type(k) == "number" then
    return k >= 1 and k <= list.capacity and k % 1 == 0 and write(state, component_name, list.values[k].name, v) or nil
  end
  for number, field in ipairs(list.values) do
    local column, is_selected = component_name .. "." .. field.name, ir.compare("eq", k, number)
    local old_value = read_list_column(state, o, number)
    local node = convert_to_column_type(state, column, field, v)
    if not node then
      return
    end
    M.record_written(column, component_name, field)
    state.mem[column] = ir.choose(is_selected, node, old_value)
    state.marks[column] = OR(state.marks[column] or constant(false), AND(state.pred, is_selected))
  end
  ctx.active = OR(ctx.active, state.pred)
end

-- Stores a node in a column of a list of the row itself, and marks the column as written in the rows for which
-- `is_written` holds. Lists have many columns, so the marks are omitted if nothing reads them: the world does not track
-- writes, and the reverse lookup does not need them. Column 0 contains the number of values.
function M.store_list_column(state, o, list, column_number, node, is_written)
  local field = column_number == 0 and list.count or list.values[column_number]
  local column = o.component .. "." .. field.name
  M.record_written(column, o.component, field)
  state.mem[column] = ir.widen(node, ir.load(column, field).t)
  if abi.C.world_tracks_touched_fields(abi.world) or field.type == "entity" then
    state.marks[column] = OR(state.marks[column] or constant(false), AND(state.pred, is_written))
  end
end

-- Stores the new count of a list that has grown or shrunk by one value. The count is in range in all rows that do not
-- take a side exit.
function M.store_list_count(state, o, list, op, count, low, high)
  local new_count = ir.make(op, "i32", count, constant(1), nil, "count", low, high)
  M.store_list_column(state, o, list, 0, new_count, constant(true))
end

-- Returns the node of the value that a list stores past its end. `prototype`: a value of the list.
function M.create_list_padding(prototype)
  if prototype.t == "bool" then
    return constant(false)
  end
  local zero = ir.widen(constant(0), prototype.t)
  return ctx.precision == "single" and typed.convert_to_kind(zero, zero.t == "i32" and "whole" or zero.t) or zero
end

-- Appends a value to a list of the row itself. If the list is full, the row takes a side exit.
function M.add_to_list(state, o, list, v)
  local count, column = read_list_column(state, o, 0), o.component .. "." .. list.values[1].name
  add_exit_where(state, ir.compare("le", list.capacity, count), "a call to add for a full list " .. o.label)
  check_list_range(state, o, list, v)
  local node = convert_to_column_type(state, column, list.values[1], v == nil and NIL or v)
  if not node then
    return {}
  end
  node = M.reject_nan(state, column, list.values[1], node)
  for k = 1, list.capacity do
    local is_next = ir.compare("eq", count, k - 1)
    M.store_list_column(state, o, list, k, ir.choose(is_next, node, read_list_column(state, o, k)), is_next)
  end
  M.store_list_count(state, o, list, "wrap_add", count, 1, list.capacity)
  return {}
end

-- Removes value `key` from a list of the row itself, and returns it. Values past the end are zero, so all values after
-- the removed one can move forward. For an invalid index, the row takes a side exit.
function M.remove_from_list(state, o, list, key)
  local k, count = M.check_list_index(state, o, key)
  if type(k) == "number" and not (k >= 1 and k <= list.capacity and k % 1 == 0) then
    take_side_exit(state, "an invalid index of " .. o.label)
    return {}
  end
  local values = {}
  for number = 1, list.capacity do
    values[number] = read_list_column(state, o, number)
  end
  local padding, removed = M.create_list_padding(values[1]), values[type(k) == "number" and k or 1]
  for number = type(k) == "number" and k or 1, list.capacity do
    local is_moved, next_value = ir.compare("le", k, number), values[number + 1] or padding
    removed = type(k) ~= "number" and ir.choose(ir.compare("eq", k, number), values[number], removed) or removed
    M.store_list_column(state, o, list, number, ir.choose(is_moved, next_value, values[number]),
      AND(is_moved, ir.compare("le", number, count)))
  end
  M.store_list_count(state, o, list, "wrap_sub", count, 0, list.capacity - 1)
  return { to_typed_value(removed, list.values[1], o.component .. "." .. o.name) }
end

-- Types and maximum capacity of lists that native code can change. A change accesses every column of the list.
M.CHANGED_TYPES = { f32 = true, f64 = true, bool = true, string = true, entity = true }
M.MAX_CHANGED_CAPACITY = 32

-- Key in ctx.assumed: calls to add and remove are side exits, because the body is too large otherwise.
M.LIST_CHANGES_EXIT = "changes of lists exit"

-- Executes list:add(v) or list:remove(k). The row takes a side exit if the list belongs to another row, if its capacity
-- is too large, if columns of its type cannot be written, or if the body would be too large.
function M.call_list_method(state, f, self, argument)
  local o = f.list
  local list = components.by_name[o.component].lists[o.name]
  if self ~= o and not (type(self) == "table" and M.is_equivalent(self, o)) or not M.is_own_list(o, list)
    or list.capacity > M.MAX_CHANGED_CAPACITY or not (M.CHANGED_TYPES[list.type] or ir.INTEGERS[list.type])
    or ctx.precision and list.type == "string" or ctx.assumed[M.LIST_CHANGES_EXIT] then
    take_side_exit(state, f.label)
    return {}
  end
  ctx.active, ctx.has_changed_list = OR(ctx.active, state.pred), true
  return (f.name == "add" and M.add_to_list or M.remove_from_list)(state, o, list, argument)
end

-- --- rows accessed by number

function M.get_row_count(record)
  return get_parameter("count of " .. record.number, function() return record.query.count end, "number")
end

-- Reads a column at a row number of one of the system's queries. Rows for which that number is invalid take a side
-- exit.
function M.read_at(state, o, key)
  local field, row = M.find_row_of_number(state, o, key)
  if is_shared(o.component, o.name) then
    return M.read_shared(state, o.component, o.name, row)
  end
  local name = ("of rows %d %s.%s"):format(o.record.number, o.component, o.name)
  ctx.columns[name] = ctx.columns[name] or { component = o.component, field = field, of = o.record }
  local column = o.component .. "." .. o.name
  ctx.read_at[column] = ctx.read_at[column] or {}
  table.insert(ctx.read_at[column], o)
  return to_typed_value(ir.gather(name, field, row), field, o.label)
end

local function is_integer_constant(n)
  return n.op == "const" and n.v >= 1 and n.v % 1 == 0
end

-- Returns true if a node is the index of an enclosing inner loop that only visits integers from 1 to `count`:
-- `for k = 1, q.count do` or `for k = 1, math.min(q.count, n) do`.
function M.is_index_of_rows(k, count)
  local loop = ctx.inner
  while loop and loop.index.node ~= k do
    loop = loop.outer
  end
  if not loop or not is_integer_constant(loop.start) or not is_integer_constant(loop.step) then
    return false
  end
  local stop = loop.stop
  local is_lower = stop.op == "choose" and stop.c.op == "lt" and stop.c.a == stop.a and stop.c.b == stop.b
  return stop == count or is_lower and (stop.a == count or stop.b == count)
end

-- Returns the field of a column that is accessed by row number, and the index of that row in the component. Rows for
-- which the number is invalid take a side exit.
function M.find_row_of_number(state, o, key)
  local component = components.by_name[o.component]
  local field = component and component.by_name[o.name]
  if not field or (field.hidden or field.derived) and not field.list then
    refuse("%s (the field is unknown, hidden or derived)", o.label)
  end
  local k, query = ir.number(to_node(M.as_number(key))), o.record
  if ctx.precision and k.t ~= "i32" and typed.get_kind(k) ~= "whole" then
    M.refuse_whole("a calculated row number that might not be an integer (integer columns, loop counters and their "
      .. "sums can be row numbers)")
  end
  local row_at = M.assume_valid_row(k, query)
  if row_at then
    return field, M.record_shift(query, k, M.map_row(query, o.component, field, row_at))
  end
  local count = M.get_row_count(query)
  local is_valid = M.is_index_of_rows(k, count) and constant(true) or AND(AND(ir.compare("le", 1, k),
    ir.compare("le", k, count)), ir.compare("eq", ir.unary("floor", k), k))
  add_exit_where(state, NOT(is_valid), "a row number out of range")
  local query_row = k.t == "i32" and k.lo > ir.MIN and ir.double.arithmetic("sub", k, constant(1))
    or ir.make("whole", "i32", ir.widen(ir.arithmetic("sub", k, 1), "f64"), nil, nil, nil, -1, 2 ^ 22)
  local index = M.map_row(query, o.component, field, ir.choose(is_valid, query_row, constant(0)))
  return field, M.record_shift(query, k, index)
end

-- Writes a column at a row number: q.cells.count[k] = v.
function M.write_at(state, o, key, v)
  local _, row = M.find_row_of_number(state, o, key)
  write_other_row(state, o.component, o.name, row, v)
end

-- Reads from a table with metamethods (assets, settings). The value is fetched again before each run.
function M.get_invariant(t, key)
  if not ctx.tables[t] then
    ctx.table_count = ctx.table_count + 1
    ctx.tables[t] = ctx.table_count
  end
  local id = ("table %d.%s"):format(ctx.tables[t], format_constant_key(key))
  return create_invariant(id, tostring(key), function() return t[key] end)
end

local MAX_TABLE_ENTRIES = 32

function M.is_constant_table(v)
  return type(v) == "table" and (v.kind == "selection" or v.kind == "concrete" and type(v.v) == "table")
end

-- Returns the symbolic value of one of several tables of constants: values[i] where conditions[i] holds. The values may
-- be such selections, too. Returns nil if there are more than MAX_TABLE_ENTRIES different tables.
function M.select_table(conditions, values)
  local o, index_by_table = { kind = "selection", conditions = {}, values = {}, label = "one of several tables" }, {}
  local function add(condition, v)
    local i = index_by_table[v.v] or #o.values + 1
    index_by_table[v.v], o.values[i] = i, v
    o.conditions[i] = OR(o.conditions[i] or constant(false), condition)
  end
  for i, v in ipairs(values) do
    for k, table_value in ipairs(v.values or { v }) do
      add(v.values and AND(conditions[i], v.conditions[k]) or conditions[i], table_value)
    end
  end
  if #o.values == 1 then
    return o.values[1]
  end
  return #o.values <= MAX_TABLE_ENTRIES and o or nil
end

-- Selects values[i] where conditions[i] holds. At most one condition may hold; where none holds, the result must not be
-- used.
function M.select_value(conditions, values)
  local are_tables = true
  for _, v in ipairs(values) do
    are_tables = are_tables and M.is_constant_table(v)
  end
  if are_tables then
    return M.select_table(conditions, values) or MIXED
  end
  local result = values[1]
  for i = 2, #values do
    result = M.choose_value(conditions[i], values[i], result)
  end
  return result
end

-- Indexes one of several tables of constants. Leaves out tables that no row on this path can have selected, because the
-- key may be missing in them. These are the tables that are shorter than the number of an unrolled iteration
-- (ctx.excluded).
function M.index_selection(state, o, key)
  local conditions, values, pred = {}, {}, state.pred
  for i, v in ipairs(o.values) do
    if not ctx.excluded[o.conditions[i]] then
      state.pred = AND(pred, o.conditions[i])
      conditions[#conditions + 1], values[#values + 1] = o.conditions[i], M.index(state, v, key)
      state.pred = pred
    end
  end
  return #values > 0 and M.select_value(conditions, values) or NIL
end

-- --- loops over tables of constants

function M.is_readable_table(v)
  return type(v) == "table" and v.kind == "concrete" and type(v.v) == "table" and not ctx.libraries[v.v]
    and find_single_name(v.v) == nil and (getmetatable(v.v) == nil or hidden_state.is_constant[v.v])
end

-- Returns the tables of constants that a value may be, and the condition of each; nil for any other value.
function M.list_tables(o)
  local conditions, tables = {}, {}
  for i, v in ipairs(type(o) == "table" and (o.kind == "selection" and o.values or { o }) or {}) do
    if not M.is_readable_table(v) then
      return nil
    end
    conditions[i], tables[i] = o.conditions and o.conditions[i] or constant(true), v.v
  end
  return #tables > 0 and conditions or nil, tables
end

-- Returns the number of values that ipairs visits, and adds guards for it.
function M.count_sequence(t)
  local n = 0
  while M.get_entry(t, n + 1) ~= nil do
    n = n + 1
    if n > MAX_TABLE_ENTRIES then
      refuse("a loop over a table of more than %d values: use a column instead", MAX_TABLE_ENTRIES)
    end
  end
  return n
end

-- Executes ipairs(o): returns an iterator over one or several tables of constants, for unroll_list.
function M.begin_list(o)
  o = require_present(o)
  local conditions, tables = M.list_tables(o)
  if not conditions and type(o) == "table" and o.kind == "list" then
    refuse("ipairs over the list %s: use for k = 1, #list do", o.label or o.component .. "." .. o.name)
  elseif not conditions then
    refuse("a loop over %s, which is not a table of constants",
      type(o) == "table" and (o.label or "a value") or type(o))
  end
  local lengths = {}
  for i, t in ipairs(tables) do
    lengths[i] = M.count_sequence(t)
  end
  return { kind = "list_iterator", list = o, conditions = conditions, lengths = lengths, label = "an iterator" }
end

-- Returns a node for the length of the table of constants that the conditions select.
function M.get_length_of_selection(o)
  local conditions, tables = M.list_tables(o)
  if not conditions then
    refuse("the # operator of %s", o.label)
  end
  local lengths, capacity = {}, 0
  for i, t in ipairs(tables) do
    lengths[i], capacity = #t, math.max(capacity, #t)
    add_check(#t, function() return #t end)
  end
  local length = to_node(M.select_value(conditions, lengths))
  if length.op ~= "const" then
    ctx.lengths[length], ctx.length_selections[length] = capacity, { conditions = conditions, lengths = lengths }
  end
  return length
end

-- Returns the condition under which the selected table has at least `k` values, and the conditions of shorter tables.
function M.split_selection(o, k)
  local is_long, excluded = constant(false), {}
  for i, condition in ipairs(o.conditions) do
    if o.lengths[i] >= k then
      is_long = OR(is_long, condition)
    else
      excluded[#excluded + 1] = condition
    end
  end
  return is_long, excluded
end

-- Looks up a key, a number or string that varies by row, in a table of constants. For a missing key, the row takes a
-- side exit; in bodies without side exits, the result is nil.
function M.select_entry(state, t, key)
  local conditions, values, is_missing = {}, {}, constant(true)
  local is_text_key = is_text(key)
  if not is_text_key and not (type(key) == "table" and key.node and key.t ~= "bool") then
    refuse("a read from a table with a key that is neither a number nor a string")
  end
  local function count_entries()
    local n = 0
    for _ in pairs(t) do
      n = n + 1
    end
    return n
  end
  local keys = {}
  for k in pairs(t) do
    keys[#keys + 1] = type(k) == (is_text_key and "string" or "number") and k or nil
  end
  if count_entries() > MAX_TABLE_ENTRIES then
    refuse("a table of more than %d values with a key that differs by row: use a column instead", MAX_TABLE_ENTRIES)
  end
  table.sort(keys)
  for i, k in ipairs(keys) do
    local is_key = is_text_key and M.equal(key, k) or ir.compare("eq", key, k)
    conditions[i], values[i], is_missing = is_key, to_symbolic(M.get_entry(t, k)), AND(is_missing, NOT(is_key))
  end
  add_check(count_entries(), count_entries)
  if #values == 0 then
    refuse("a read from a table without keys of this type")
  end
  if ctx.precision then
    return create_maybe(NOT(is_missing), M.select_value(conditions, values))
  end
  add_exit_where(state, is_missing, "a missing key of a table")
  return M.select_value(conditions, values)
end

-- Returns a component or a method of an entity.
function M.read_entity_member(key, id, own, label)
  local component = type(key) == "string" and components.by_name[key]
  if component and component.kind == "component" then
    return { kind = "other", component = component.name, id = id, own = own, label = label .. "." .. key }
  end
  return { kind = "method", name = tostring(key), target = { id = id, own = own },
    label = label .. ":" .. tostring(key) }
end

local function index(state, o, key)
  o = require_present(o)
  local handler = type(o) == "table" and o.kind and INDEX[o.kind]
  if not handler then
    refuse("indexing %s", type(o) == "table" and (o.label or "a calculated value") or type(o))
  end
  return handler(state, o, key)
end

M.index = index

-- --- calls

local execute

-- Functions without side effects, by name.
local PURE_FUNCTIONS = { ["input.down"] = true, ["input.pressed"] = true, ["input.released"] = true,
  ["input.axis"] = true, ["input.mouse"] = true, ["world.find"] = true, ["world.count"] = true, ["world.alive"] = true }
local ENTITY_METHODS = { alive = true, has = true, state = true, assemblage = true, name = true }

-- Calls an input function with a player number that varies by row: input.down("fire", player). Rows with a player
-- number out of range take a side exit. Returns nil if the first argument varies by row, too.
function M.call_for_player(state, f, call_function, arguments)
  local conditions, values, is_none = {}, {}, constant(true)
  local max_number = abi.C.ui_max_players(abi.world)
  for player = 1, max_number do
    local results = hoist_call(f.name, call_function, { arguments[1], player }, 2)
    conditions[player], values[player] = ir.compare("eq", arguments[2], player), results and results[1]
    is_none = AND(is_none, NOT(conditions[player]))
    if not results then
      return nil
    end
  end
  add_exit_where(state, is_none, "a player number other than 1 to " .. max_number)
  return { M.select_value(conditions, values) }
end

-- Returns a 32-bit word of the world's random state (base/random.h, xoshiro128**), which is a loop-carried value.
local function get_random_word(state, i)
  local key = "random " .. i
  return state.mem[key] or declare_carried(key, function() return bit.tobit(abi.random.s[i]) end, "bits", function(v)
    abi.random.s[i] = v % 2 ^ 32
  end)
end

local function wrap_multiply(a, b)
  return ir.make("wrap_mul", "i32", a, constant(b), nil, nil, -2 ^ 31, 2 ^ 31 - 1)
end

-- Draws the next random number, 0 ≤ x < 1, in the rows that take this path.
local function next_random_number(state)
  local a, b, c, d = get_random_word(state, 0), get_random_word(state, 1), get_random_word(state, 2),
    get_random_word(state, 3)
  local random = wrap_multiply(ir.bits("rol", wrap_multiply(b, 5), constant(7)), 9)
  local shifted = ir.bits("shl", b, constant(9))
  c, d = ir.bits("xor", c, a), ir.bits("xor", d, b)
  local next_words = { [0] = ir.bits("xor", a, d), ir.bits("xor", b, c), ir.bits("xor", c, shifted),
    ir.bits("rol", d, constant(11)) }
  for i = 0, 3 do
    state.mem["random " .. i] = next_words[i]
  end
  ctx.active = OR(ctx.active, state.pred)
  random = ir.choose(ir.compare("lt", random, 0), ir.arithmetic("add", ir.widen(random, "f64"), 2 ^ 32),
    ir.widen(random, "f64"))
  return ir.arithmetic("mul", random, 2 ^ -32)
end

-- Executes world.random(a, b) symbolically; generates the same numbers as world/world.lua. Rows in which b < a take a
-- side exit.
function M.execute_random(state, low, high)
  if low == nil or low == NIL then
    return next_random_number(state)
  elseif high == nil or high == NIL then
    low, high = 1, low
  end
  low, high = ir.widen(ir.number(to_node(M.as_number(low))), "f64"),
    ir.widen(ir.number(to_node(M.as_number(high))), "f64")
  if low.op == "const" and high.op == "const" then
    low, high = constant(low.v), constant(high.v)
  end
  add_exit_where(state, ir.compare("lt", high, low), "world.random with an empty interval")
  local unit, width = next_random_number(state), ir.arithmetic("sub", high, low)
  local is_whole = AND(ir.compare("eq", ir.modulo(low, 1), 0), ir.compare("eq", ir.modulo(high, 1), 0))
  local step = ir.unary("floor", ir.arithmetic("mul", unit, ir.arithmetic("add", width, 1)))
  return ir.choose(is_whole, ir.arithmetic("add", low, step),
    ir.arithmetic("add", low, ir.arithmetic("mul", unit, width)))
end

-- Executes world.tiles(e) symbolically. Rows whose entity is dead or has no tilemap take a side exit.
local function execute_tiles(state, e)
  local id, name = to_entity_node(e), components.find_builtin("tilemap").name
  local is_readable = AND(ir.compare("le", 0, look_up_entity("alive", id)),
    ir.compare("le", 0, look_up_entity("row", id, name)))
  add_exit_where(state, NOT(is_readable), "an entity without a tilemap")
  return { kind = "tiles", id = id, ok = is_readable, label = "tiles" }
end

-- Executes tiles:solid(column, row) symbolically. Rows whose tiles cannot be read take a side exit.
local function is_solid(state, tiles, column, row)
  column, row = ir.number(to_node(M.as_number(column))), ir.number(to_node(M.as_number(row)))
  local is_active = AND(state.pred, tiles.ok) -- false in rows on another path
  local result = ir.make("solid", "i32", ir.choose(is_active, tiles.id, constant(0)), ir.widen(column, "f64"),
    ir.widen(row, "f64"), nil, -1, 1)
  ctx.uses_tiles = true
  add_exit_where(state, AND(tiles.ok, ir.compare("lt", result, 0)), "tiles that cannot be read")
  return ir.compare("lt", 0, result)
end

-- Returns the results of a call that native code can make without Lua: a call without side effects, or to world.random.
-- Returns nil for any other call.
function M.call_pure(state, f, arguments, count)
  if f.tiles then
    return f.name == "solid" and count == 3 and arguments[1] == f.tiles
      and { is_solid(state, f.tiles, arguments[2], arguments[3]) }
      or nil
  elseif f.name == "world.tiles" and count == 1 and ctx.in_row and is_entity(arguments[1]) then
    return { execute_tiles(state, arguments[1]) }
  elseif f.target then
    local method = ctx.in_row and ROW_METHODS[f.name]
    return method and { method(state, f.target, arguments[2]) } or nil
  elseif f.name == "world.random" and ctx.in_row then
    local rules = ir.select_rules(nil) -- random numbers are f64 even in single-precision mode
    local random = M.execute_random(state, arguments[1], arguments[2])
    ir.select_rules(rules)
    return { random }
  elseif f.name == "world.alive" and count == 1 and is_entity(arguments[1]) and not get_fetch(arguments[1]) then
    return { ROW_METHODS.alive(state, { id = to_entity_node(arguments[1]) }) }
  elseif f.name == "world.lookup" and count == 1 and type(arguments[1]) == "string" then
    local component = components.by_name[arguments[1]]
    return component and component.kind == "component"
      and { { kind = "lookup", component = component.name, label = "world.lookup(\"" .. arguments[1] .. "\")" } } or nil
  elseif f.of then
    ctx.commands.reads_world = true
    return ENTITY_METHODS[f.name] and hoist_call(f.label, function(e, ...) return e[f.name](e, ...) end, arguments,
      count) or nil
  elseif not PURE_FUNCTIONS[f.name] then
    return nil
  end
  local library, name = f.name:match("^(%a+)%.(.*)$")
  ctx.commands.reads_world = ctx.commands.reads_world or library == "world"
  local function call_function(...)
    return env[library][name](...)
  end
  if library == "input" and count == 2 and ctx.in_row and type(arguments[2]) == "table" and arguments[2].node
    and not get_fetch(arguments[2])
    and arguments[2].t ~= "bool" then
    return M.call_for_player(state, f, call_function, arguments)
  end
  return hoist_call(f.name, call_function, arguments, count)
end

-- Returns the node that machine code stores in a field of an event, or nil if some row's value might not fit.
function M.to_emitted_node(state, field, v)
  local fits = not (field.range or field.min_valid or field.names or field.nan_default or field.layers)
    and field.type ~= "string" and field.type ~= "mat4"
  local function guard(is_out_of_range)
    fits = fits and ir.is_const(is_out_of_range, false)
  end
  if not fits then
    return nil
  elseif field.type == "entity" then
    return to_entity_node(v)
  elseif field.type == "enum" then
    v = to_choice_node(v, field.choices, guard)
  end
  local node = ranges.convert_for_store(field, M.as_number(v), field.name, guard, state.pred)
  return fits and node or nil
end

-- Records that rows emit an event, for machine code that emits events. Returns true on success. Returns false if a
-- value might not fit its field, if the call is in an inner loop, or if the body already emits the event: each event
-- can be emitted by one call only, because its rows are collected in row order.
function M.record_emission(state, command)
  local event_type, fields, list = command.event, {}, ctx.emissions
  for _, emission in ipairs(list) do
    if emission.event == event_type then
      return false
    end
  end
  for _, field_name in ipairs(sorted_keys(command.values)) do
    local field = event_type.by_name[field_name]
    local node = field and M.to_emitted_node(state, field, command.values[field_name])
    if not node then
      return false
    end
    fields[#fields + 1] = { field = field, node = node }
  end
  list[#list + 1] = { event = event_type, pred = state.pred, fields = fields }
  return not ctx.inner
end

-- Column of an entered state's emission: the numbers of the rows whose entities enter the state.
M.ENTERING_ROW = { type = "i32", column = 0 }

-- Records a call of e:enter, so that machine code lists the rows that reach it. Returns true on success, and false if
-- Lua must record the calls of e:enter, if the call is in an inner loop, or if the body has MAX_EMISSIONS emissions.
function M.record_entry(state, command)
  local list = ctx.emissions
  if ctx.inner or command.is_recorded or #list == M.MAX_EMISSIONS then
    return false
  end
  list[#list + 1] = { enters = command.enters, pred = state.pred,
    fields = { { field = M.ENTERING_ROW, node = ir.make("row", "i32", nil, nil, nil, nil, 1, 2 ^ 22) } } }
  return true
end

-- Returns true if machine code can execute the command, and records its emission. Emitted events and entered states are
-- queued after the run, so a body may contain only one kind of command.
function M.can_emit_command(recorded, state, name, command)
  recorded.kind = recorded.kind or name
  if name ~= recorded.kind then
    return false
  elseif name == "enter" then
    return M.record_entry(state, command)
  end
  return name == "world.emit" and M.record_emission(state, command)
end

-- Executes, for deferred side exits, a call that queues a command and cannot fail; the row continues after it. Returns
-- nil for any other call.
function M.call_command(state, f, arguments, count)
  local recorded, target = ctx.commands, f.target
  local is_method = f.name:find(".", 1, true) == nil
  if not (recorded.pass and ctx.in_row) or f.tiles or f.of or is_method
    and (not target or not is_entity(arguments[1])) then
    return nil
  end
  local command = commands.record_call(f.name, state.heap, arguments, count,
    { is_own = is_method and target.own and arguments[1] == ENTITY, components = ctx.components })
  if not command then
    return nil
  end
  recorded.count, recorded.spawns = recorded.count + 1, recorded.spawns + (command.spawns or 0)
  recorded.is_emitted = recorded.is_emitted and M.can_emit_command(recorded, state, f.name, command)
  recorded.changes, ctx.active = recorded.changes or command.changes == true, OR(ctx.active, state.pred)
  if command.fetch then
    add_check(command.v, command.fetch)
  end
  if command.enters then
    recorded.entered_states[command.enters] = true
  end
  return f.name == "world.emit" and {} or { MIXED }
end

local function is_lua(f)
  return type(f) == "function" and util.funcinfo(f).bytecodes ~= nil
end

local function call(state, f, arguments, count)
  f = require_present(f)
  if f == nil or type(f) ~= "table" then
    refuse("a call to a value that is not a function")
  elseif f.kind == "raw" then
    return { index(state, f.column, arguments[2]) }
  elseif f.kind == "method" then
    local results = M.call_pure(state, f, arguments, count) or M.call_command(state, f, arguments, count)
    if results then
      return results
    elseif not ctx.in_row then
      refuse("a call to %s before the loop: move it into the loop", f.label)
    end
    take_side_exit(state, f.label)
    return {}
  elseif f.kind == "list_method" then
    return M.call_list_method(state, f, require_present(arguments[1]), arguments[2])
  elseif f.kind ~= "concrete" then
    refuse("a call to %s", f.label or f.kind or "a calculated value")
  end
  if f.v == env.ipairs then
    return { M.begin_list(arguments[1]) }
  elseif f.v == env.pairs then
    refuse("a loop over pairs: use ipairs")
  end
  local handler = function_handlers[f.v]
  if handler then
    if count < handler[1] or count > handler[1] and not handler[3] then
      refuse("a math function with %d arguments", count)
    end
    for i = 1, count do
      arguments[i] = M.as_number(arguments[i])
    end
    return { (handler[2](unpack(arguments, 1, count))) }
  elseif not is_lua(f.v) or (debug.getinfo(f.v, "S").source or ""):find("^@%[shoal%]") then
    if not ctx.in_row then
      refuse("a call to an engine function before the loop")
    end
    take_side_exit(state, "a call to an engine function")
    return {}
  end
  return execute(f.v, arguments, state)
end

-- --- merging states

-- Returns the condition under which a value is true in Lua.
local function to_condition(v)
  if is_maybe(v) then
    return AND(v.present, to_condition(v.v))
  elseif type(v) == "table" and v.node then
    return v.t == "bool" and v or constant(true)
  elseif v == MIXED then
    refuse("a condition on a value of varying type")
  end
  return constant(v ~= nil and v ~= NIL and v ~= false)
end

-- Kinds for which two values are equal if the fields that is_equivalent compares are equal.
local COMPARED_KINDS = { component = true, list = true, list_column = true, vector = true, column = true,
  entities = true,
  accessor = true, method = true, parts = true, count = true, concrete = true, row = true }

local function is_equivalent(x, y)
  local x_target, y_target = x.target or {}, y.target or {}
  return x.kind == y.kind and COMPARED_KINDS[x.kind] and x.name == y.name and x.component == y.component and x.v == y.v
    and x.record == y.record and x.path == y.path and x.at == y.at and x.row == y.row
    and x.is_other == y.is_other and x.of == y.of and x_target.id == y_target.id and x_target.own == y_target.own
end

local function choose_value(c, x, y)
  if is_same(x, y) then
    return x
  end
  if x == NIL or y == NIL or is_maybe(x) or is_maybe(y) then
    return M.choose_maybe(c, x, y)
  elseif is_row_number(x) ~= is_row_number(y) then
    x, y = M.plain_number(x), M.plain_number(y)
  end
  local x_node, y_node = to_node(x), to_node(y)
  if type(x_node) == "table" and x_node.node and type(y_node) == "table" and y_node.node then
    if (x_node.t == "bool") == (y_node.t == "bool") then
      return ir.choose(c, x_node, y_node)
    end
  elseif is_text(x) and is_text(y) then
    return choose_text(c, x, y)
  elseif is_entity(x) and is_entity(y) then
    return { kind = "handle", n = ir.choose(c, to_entity_node(x), to_entity_node(y)), label = "an entity" }
  elseif type(x) == "table" and type(y) == "table" and is_equivalent(x, y) then
    return x
  elseif M.is_constant_table(x) and M.is_constant_table(y) then
    return M.select_table({ c, NOT(c) }, { x, y }) or MIXED
  end
  return MIXED
end

M.choose_value, M.is_equivalent = choose_value, is_equivalent

-- Splits a value that may be nil into the condition under which it is not nil, and the value.
local function split_maybe(v)
  if v == NIL then
    return constant(false), nil
  elseif is_maybe(v) then
    return v.present, v.v
  end
  return constant(true), v
end

function M.choose_maybe(c, x, y)
  local x_present, x_value = split_maybe(x)
  local y_present, y_value = split_maybe(y)
  local v = x_value
  if x_value == nil then
    v = y_value
  elseif y_value ~= nil then
    v = choose_value(c, x_value, y_value)
  end
  local is_plain = type(v) ~= "table" or v.node or is_text(v) or is_entity(v) or is_row_number(v)
    or M.is_constant_table(v)
  if v == nil or not is_plain or v == MIXED then
    return MIXED
  end
  return create_maybe(ir.choose(c, x_present, y_present), v)
end

local function copy(state, pred)
  local new_state = { pred = pred, slots = {}, mem = {}, marks = {}, heap = {}, top = state.top }
  for k, v in pairs(state.heap) do new_state.heap[k] = v end
  for k, v in pairs(state.slots) do new_state.slots[k] = v end
  for k, v in pairs(state.mem) do new_state.mem[k] = v end
  for k, v in pairs(state.marks) do new_state.marks[k] = v end
  return new_state
end

local function is_unreachable(state)
  return not state or state.dead or ir.is_const(state.pred, false)
end

-- Returns the value that a column or a loop-carried value has in a state.
local function get_current_value(state, k)
  local own_row = ctx.own_rows[k]
  return state.mem[k] or ctx.carried_nodes[k]
    or own_row and ir.gather(k, ctx.columns[k].field, own_row, ctx.own_present[k]) or ir.load(k, ctx.columns[k].field)
end

-- Selects the value of a column where two paths meet. If path `a` has changed the value only under a condition, and
-- path `b` has the value from before this change, joins the two conditions into one. This simplifies an `if` in an
-- iteration of an unrolled loop that some rows skip.
function M.choose_column(c, a, b)
  if c.op ~= "const" and a ~= b and a.op == "choose" and a.b == b and a.t == b.t then
    return ir.choose(AND(c, a.c), a.a, b)
  end
  return ir.choose(c, a, b)
end

local function merge(a, b)
  if is_unreachable(a) then
    return b
  elseif is_unreachable(b) then
    return a
  end
  local c = ir.difference(a.pred, b.pred)
  local merged = { pred = OR(a.pred, b.pred), slots = {}, mem = {}, marks = {}, heap = {}, top = a.top }
  local choose_record = merge_heaps(c, a, b, merged)
  for _, field in ipairs { "slots", "mem", "marks" } do
    for k, v in pairs(a[field]) do merged[field][k] = v end
  end
  for _, k in ipairs(list_differing_keys(a.slots, b.slots)) do
    local x, y = a.slots[k], b.slots[k]
    merged.slots[k] = (x == nil or y == nil) and MIXED or choose_record(x, y) or choose_value(c, x, y)
  end
  for _, k in ipairs(list_differing_keys(a.mem, b.mem)) do
    merged.mem[k] = M.choose_column(c, get_current_value(a, k), get_current_value(b, k))
  end
  for _, k in ipairs(list_differing_keys(a.marks, b.marks)) do
    local x, y = a.marks[k], b.marks[k]
    merged.marks[k] = x and y and OR(x, y) or x or y
  end
  return merged
end

-- --- instructions

local OPERATION = { ADD = "add", SUB = "sub", MUL = "mul", DIV = "div" }

-- Converts the row number or the row count to a number node. Returns any other value unchanged.
local function to_plain_number(v)
  if is_row_number(v) then
    return ir.make("row", "i32", nil, nil, nil, nil, 1, 2 ^ 22)
  elseif type(v) == "table" and v.kind == "count" then
    return M.get_row_count(v.record)
  end
  return v
end

local function to_number_node(v)
  return to_plain_number(require_present(v))
end

local function calculate(op, a, b)
  a, b = to_number_node(a), to_number_node(b)
  if op == "MOD" then
    return ir.modulo(a, b)
  elseif op == "POW" then
    return M.create_power(a, b)
  end
  return ir.arithmetic(OPERATION[op], a, b)
end

-- Compares strings or entities by id. Returns nil if `a` is neither a string nor an entity.
local function compare_ids(a, b)
  local is_comparable = is_text(a) and is_text or is_entity(a) and is_entity
  if not is_comparable then
    return nil
  elseif not is_comparable(b) then
    if b == MIXED then
      refuse("a comparison with a value of varying type")
    end
    return constant(false)
  elseif type(a) == "table" and a.kind == "enum"
    and (type(b) == "string" or type(b) == "table" and b.kind == "enum") then
    local is_none = constant(false)
    local number = to_choice_node(b, a.choices, function(bad) is_none = OR(is_none, bad) end)
    return AND(NOT(is_none), ir.compare("eq", a.n, number))
  elseif is_comparable == is_text and type(b) == "table" and b.kind == "enum" then
    return compare_ids(b, a)
  end
  local fetch_a, key_a = get_fetch(a)
  local fetch_b, key_b = get_fetch(b)
  if fetch_a and fetch_b then
    return get_parameter(key_a .. " == " .. key_b, function() return fetch_a() == fetch_b() end, "boolean")
  elseif is_comparable == is_text then
    return ir.compare("eq", to_text_node(a), to_text_node(b))
  end
  return ir.compare("eq", to_entity_node(a), to_entity_node(b))
end

local equal

-- Compares two values, at least one of which may be nil.
local function compare_maybe(a, b)
  local a_present, a_value = split_maybe(a)
  local b_present, b_value = split_maybe(b)
  local are_present = AND(a_present, b_present)
  local are_equal = a_value ~= nil and b_value ~= nil and equal(a_value, b_value) or constant(false)
  return OR(AND(are_present, are_equal), AND(NOT(a_present), NOT(b_present)))
end

function equal(a, b)
  if is_maybe(a) or is_maybe(b) then
    return compare_maybe(a, b)
  elseif type(a) == "string" and type(b) == "string" then
    return constant(a == b)
  end
  local by_id = compare_ids(a, b) or compare_ids(b, a)
  if by_id then
    return by_id
  end
  local is_plain_a, is_plain_b = type(a) ~= "table" or a == NIL, type(b) ~= "table" or b == NIL
  if is_plain_a and is_plain_b then
    return constant(a == b)
  end
  local node_a, node_b = to_node(a), to_node(b)
  if type(node_a) == "table" and node_a.node and type(node_b) == "table" and node_b.node then
    return (node_a.t == "bool") == (node_b.t == "bool") and ir.compare("eq", node_a, node_b) or constant(false)
  elseif type(node_a) == "table" and node_a.node and (is_plain_b or b.kind == "concrete" or b.kind == "invariant")
    or type(node_b) == "table" and node_b.node and (is_plain_a or a.kind == "concrete" or a.kind == "invariant") then
    return constant(false)
  elseif is_plain_a and b.kind == "invariant" or is_plain_b and a.kind == "invariant" then
    return constant(false)
  end
  refuse((a == MIXED or b == MIXED) and "a comparison with a value of varying type"
    or "a comparison of values of unknown type")
end

M.equal, M.as_number, M.plain_number = equal, to_number_node, to_plain_number

local PRIMITIVE = { [0] = NIL, [1] = false, [2] = true }

local ORDERS = { ISLT = true, ISGE = true, ISLE = true, ISGT = true }

-- Returns the condition under which a comparison instruction takes its jump.
local function get_jump_condition(fn, slots, op, a, d)
  local convert = ORDERS[op] and to_number_node or to_plain_number
  local operands = { [a] = convert(slots[a]), [d] = convert(slots[d]) }
  if op == "ISLT" then
    return ir.compare("lt", operands[a], operands[d])
  elseif op == "ISGE" then
    return NOT(ir.compare("lt", operands[a], operands[d]))
  elseif op == "ISLE" then
    return ir.compare("le", operands[a], operands[d])
  elseif op == "ISGT" then
    return NOT(ir.compare("le", operands[a], operands[d]))
  elseif op == "IST" or op == "ISTC" then
    return to_condition(operands[d])
  elseif op == "ISF" or op == "ISFC" then
    return NOT(to_condition(operands[d]))
  end
  local kind = op:sub(5)
  local operand = operands[d]
  if kind == "S" then
    operand = util.funck(fn, -1 - d)
  elseif kind == "N" then
    operand = util.funck(fn, d)
  elseif kind == "P" then
    operand = PRIMITIVE[d]
  end
  local c = equal(operands[a], operand)
  return op:sub(1, 4) == "ISEQ" and c or NOT(c)
end

local function read_upvalue(fn, i)
  local _, v = debug.getupvalue(fn, i)
  if not bytecode.is_constant_upvalue(fn, i) then
    add_check(v, function()
      local _, current = debug.getupvalue(fn, i)
      return current
    end)
  end
  return to_symbolic(v)
end

-- Functions that execute an instruction symbolically, by opcode name: f(fn, state, a, b, c, d). Slots are in
-- state.slots.
local HANDLERS = {}

function HANDLERS.MOV(_, st, a, _, _, d) st.slots[a] = st.slots[d] end
function HANDLERS.NOT(_, st, a, _, _, d) st.slots[a] = NOT(to_condition(st.slots[d])) end
function HANDLERS.UNM(_, st, a, _, _, d)
  local v = to_number_node(st.slots[d])
  st.slots[a] = type(v) == "number" and -v or ir.unary("neg", v)
end
function HANDLERS.KSTR(fn, st, a, _, _, d) st.slots[a] = util.funck(fn, -1 - d) end
function HANDLERS.KSHORT(_, st, a, _, _, d) st.slots[a] = d >= 32768 and d - 65536 or d end
function HANDLERS.KNUM(fn, st, a, _, _, d) st.slots[a] = util.funck(fn, d) end
function HANDLERS.KPRI(_, st, a, _, _, d) st.slots[a] = PRIMITIVE[d] end
function HANDLERS.KNIL(_, st, a, _, _, d)
  for i = a, d do
    st.slots[i] = NIL
  end
end
function HANDLERS.UGET(fn, st, a, _, _, d) st.slots[a] = read_upvalue(fn, d + 1) end
function HANDLERS.GGET(fn, st, a, _, _, d)
  local name = util.funck(fn, -1 - d)
  st.slots[a] = to_symbolic(env[name])
end
function HANDLERS.TGETS(fn, st, a, b, c) st.slots[a] = index(st, st.slots[b], util.funck(fn, -1 - c)) end
function HANDLERS.TGETB(_, st, a, b, c) st.slots[a] = index(st, st.slots[b], c) end
function HANDLERS.TGETV(_, st, a, b, c) st.slots[a] = index(st, st.slots[b], st.slots[c]) end

function HANDLERS.TSETS(fn, st, a, b, c)
  local o, name = require_present(st.slots[b]), util.funck(fn, -1 - c)
  local single = type(o) == "table" and find_single_name(o.kind == "invariant" and o.sample or o.kind == "concrete"
    and o.v)
  if single then
    return write_single(st, single, name, st.slots[a])
  elseif type(o) == "table" and o.kind == "record" then
    return write_record(st, o, name, st.slots[a])
  elseif type(o) == "table" and (o.kind == "other" or o.kind == "other_parts") then
    return M.write_other(st, o, name, st.slots[a])
  elseif type(o) == "table" and o.kind == "parts" then
    return write(st, o.component, o.name .. "." .. tostring(ALIAS[name] or name), st.slots[a])
  elseif type(o) ~= "table" or o.kind ~= "accessor" then
    refuse("a write to a field of %s", type(o) == "table" and (o.label or o.kind) or type(o))
  end
  local component, path = ctx.components[o.name], join_path(o, name)
  if component.records[path] then
    refuse("an assignment to the record %s.%s: assign its fields", o.name, path)
  elseif component.lists[path] then
    return take_side_exit(st, ("an assignment to the list %s.%s"):format(o.name, path))
  elseif component.vectors[path] then
    return write_vector(st, o.name, path, st.slots[a])
  end
  write(st, o.name, path, st.slots[a])
end

function HANDLERS.TSETV(_, st, a, b, c)
  local o = require_present(st.slots[b])
  if type(o) == "table" and o.kind == "record" then
    return write_record(st, o, st.slots[c], st.slots[a])
  elseif type(o) == "table" and o.kind == "vector" and not o.optional and is_row_number(st.slots[c]) then
    is_writing_column = true
    write_vector(st, o.component, o.name, st.slots[a])
    is_writing_column = false
    return
  elseif type(o) == "table" and o.kind == "list" then
    return M.write_list_value(st, o, st.slots[c], st.slots[a])
  elseif type(o) == "table" and (o.kind == "list_column" or o.kind == "lookup_list") then
    return take_side_exit(st, ("an assignment to the list %s"):format(o.label))
  elseif type(o) == "table" and o.kind == "lookup_field" and is_entity(require_present(st.slots[c])) then
    local id = to_entity_node(require_present(st.slots[c]))
    return write_other_row(st, o.component, o.name, find_other_row(st, { component = o.component, id = id }),
      st.slots[a])
  elseif type(o) ~= "table" or o.kind ~= "column" then
    refuse("a write to another row or to a table")
  end
  local v = M.replace_nil_entity(o, st.slots[a])
  is_writing_column = true
  if o.optional then
    M.write_optional(st, o, st.slots[c], v)
  elseif o.is_other or not is_row_number(st.slots[c]) then
    M.write_at(st, o, st.slots[c], v)
  else
    write(st, o.component, o.name, v)
  end
  is_writing_column = false
end

for _, op in ipairs { "ADD", "SUB", "MUL", "DIV", "MOD" } do
  HANDLERS[op .. "VN"] = function(fn, st, a, b, c) st.slots[a] = calculate(op, st.slots[b], util.funck(fn, c)) end
  HANDLERS[op .. "NV"] = function(fn, st, a, b, c) st.slots[a] = calculate(op, util.funck(fn, c), st.slots[b]) end
  HANDLERS[op .. "VV"] = function(_, st, a, b, c) st.slots[a] = calculate(op, st.slots[b], st.slots[c]) end
end
function HANDLERS.POW(_, st, a, b, c) st.slots[a] = calculate("POW", st.slots[b], st.slots[c]) end

local function put_results(state, a, b, results)
  if b == 0 then
    state.top = a + #results - 1
    for i, v in ipairs(results) do
      state.slots[a + i - 1] = v
    end
    return
  end
  for i = 1, b - 1 do
    state.slots[a + i - 1] = results[i] == nil and NIL or results[i]
  end
end

local function list_arguments(state, first_slot, count)
  local arguments = {}
  for i = 1, count do
    local v = state.slots[first_slot + i - 1]
    arguments[i] = v == nil and NIL or v
  end
  return arguments, count
end

function HANDLERS.CALL(_, st, a, b, c)
  local arguments, count = list_arguments(st, a + FIRST_ARGUMENT, c - 1)
  local results = call(st, st.slots[a], arguments, count)
  if not st.dead then
    put_results(st, a, b, results)
  end
end

function HANDLERS.CALLM(_, st, a, b, c)
  local arguments, count = list_arguments(st, a + FIRST_ARGUMENT, (st.top or 0) - a - FIRST_ARGUMENT + 1)
  local results = call(st, st.slots[a], arguments, count)
  if not st.dead then
    put_results(st, a, b, results)
  end
end

-- Returns a handler for an instruction that compiled code cannot execute, because it allocates or depends on a table.
-- In a row, the handler takes a side exit; before the loop, it refuses the code.
local function refuse_allocation(label)
  return function(_, st)
    if not ctx.in_row then
      refuse("%s before the loop", label)
    end
    take_side_exit(st, label)
  end
end
HANDLERS.FNEW = refuse_allocation("a new function")

function HANDLERS.TNEW(_, st, a)
  if not ctx.in_row then
    refuse("a new table before the loop")
  end
  st.slots[a] = new_record(st, {})
end

function HANDLERS.TDUP(fn, st, a, _, _, d)
  HANDLERS.TNEW(fn, st, a)
  for k, v in pairs(util.funck(fn, -1 - d)) do
    st.heap[st.slots[a]][k] = v
  end
end

function HANDLERS.TSETB(_, st, a, b, c)
  local o = require_present(st.slots[b])
  if type(o) == "table" and o.kind == "list" then
    return M.write_list_value(st, o, c, st.slots[a])
  elseif type(o) ~= "table" or o.kind ~= "record" then
    refuse("a write to a table")
  end
  write_record(st, o, c, st.slots[a])
end

function HANDLERS.CAT(fn, st, a, b, c)
  local result = st.slots[c]
  for slot = c - 1, b, -1 do
    result = result ~= nil and concatenate(st.slots[slot], result)
  end
  if not result or not ctx.in_row then
    return refuse_allocation("a new string")(fn, st)
  end
  st.slots[a] = type(result) == "number" and tostring(result) or result
end

function HANDLERS.LEN(fn, st, a, b, c, d)
  local o = require_present(st.slots[d])
  local v = type(o) == "table" and o.kind == "concrete" and o.v or nil
  if type(v) == "table" and (getmetatable(v) == nil or hidden_state.is_constant[v]) then
    add_check(#v, function() return #v end)
    st.slots[a] = #v
  elseif type(o) == "table" and o.kind == "list" then
    st.slots[a] = M.list_length(st, o)
  elseif type(o) == "table" and o.kind == "selection" then
    st.slots[a] = M.get_length_of_selection(o)
  else
    return refuse_allocation("the # operator")(fn, st)
  end
end

local RETURNS = { RET0 = true, RET1 = true, RET = true, RETM = true, CALLT = true, CALLMT = true }

-- Returns the results of a function at a return or a tail call.
local function get_return_values(state, op, a, c_or_d)
  if op == "RET0" then
    return {}
  elseif op == "RET1" then
    return { state.slots[a] }
  elseif op == "RET" then
    return (list_arguments(state, a, c_or_d - 1))
  elseif op == "RETM" then
    return (list_arguments(state, a, (state.top or a - 1) - a + 1))
  elseif op == "CALLT" then
    local arguments, count = list_arguments(state, a + FIRST_ARGUMENT, c_or_d - 1)
    return call(state, state.slots[a], arguments, count)
  end
  local args, n = list_arguments(state, a + FIRST_ARGUMENT, (state.top or 0) - a - FIRST_ARGUMENT + 1)
  return call(state, state.slots[a], args, n)
end

-- --- inner loops

local step
local MAX_LOOP_PASSES = 8
-- Keys in ctx.assumed: loops with constant bounds, or loops over the values of long lists, are not unrolled.
local KEEPS_LOOPS = "keeps loops"
M.KEEPS_LIST_LOOPS = "keeps loops over lists"

-- Returns the type with which a value is carried across iterations, its node in that type and, in single precision, its
-- kind and its node before widening. Returns nil if the value cannot be carried.
local function choose_carried_kind(v)
  local node = to_node(v)
  if is_maybe(v) then
    return choose_carried_kind(v.v)
  elseif is_entity(v) then
    return "i32", to_entity_node(v)
  elseif is_row_number(v) then
    v = M.plain_number(v)
    return "f64", ir.widen(v, "f64")
  elseif type(node) ~= "table" or not node.node then
    return nil
  elseif node.t == "bool" then
    return "bool", node
  end
  return "f64", ir.widen(node, "f64"), ctx.precision == "single" and typed.get_kind(node) or nil, node
end

-- Converts a number to the type of its loop-carried value, for single precision.
function M.to_carried(node, carried)
  if carried.t == "f32" and carried.kind == "f32" then
    return typed.as_single(node)
  end
  node = ir.widen(node, "f64")
  return carried.kind and typed.convert_to_kind(node, carried.kind) or node
end

local function new_phi(loop, t, init, kind)
  local item_number = #loop.items + 1
  local phi = ir.make("phi", kind == "f32" and "f32"
    or t, nil, nil, nil, loop.number * 1000 + item_number, -2 ^ 31, 2 ^ 31 - 1)
  phi.loop, phi.kind = loop, kind
  loop.items[item_number] = { node = phi, init = kind and M.to_carried(init, phi) or init, t = phi.t }
  return loop.items[item_number]
end

-- Returns the value that a loop-carried local or column has after the loop.
local function get_value_after_loop(loop, item)
  local node = ir.make("after_loop", item.t, nil, nil, nil, item.node.v, -2 ^ 31, 2 ^ 31 - 1)
  node.loop, node.item, node.kind = loop, item, item.node.kind
  return node
end

local function to_slot_value(t, node)
  return t == "i32" and { kind = "handle", n = node, label = "an entity" } or node
end

-- Placeholders for nil, by node type.
local PLACEHOLDER = { f64 = 0, i32 = 0, bool = false }

-- Returns the type and the node that a loop-carried value has before the first iteration and, in single precision, its
-- kind and its node before widening. `key`: { where, name }.
local function get_initial_value(state, key)
  if key.where == "slots" and key.maybe and state.slots[key.name] == NIL then
    local placeholder = constant(PLACEHOLDER[key.maybe])
    return key.maybe, ir.widen(placeholder, key.maybe), key.maybe == "f64" and key.kind or nil, placeholder
  elseif key.where == "slots" then
    return choose_carried_kind(state.slots[key.name])
  elseif key.where == "marks" then
    return "bool", state.marks[key.name] or constant(false)
  end
  local node = get_current_value(state, key.name)
  return node.t, node
end

-- Records that a slot may be nil before or after an iteration. Returns true if this was not known before.
function M.record_maybe(key, old_value, v)
  if key.where ~= "slots" or key.maybe or not (old_value == NIL or v == NIL or is_maybe(old_value) or is_maybe(v)) then
    return false
  end
  key.maybe = choose_carried_kind(v == NIL and old_value or v)
  return key.maybe ~= nil
end

-- Widens the kind of a loop-carried number if an iteration assigns a wider kind; the number then has the wider kind in
-- all iterations. Returns true if the kind has changed.
function M.widen_kind(key, old_value, v)
  local _, _, kind = choose_carried_kind(v == NIL and old_value or v)
  local _, _, old_kind = choose_carried_kind(old_value == NIL and v or old_value)
  local joined_kind = key.where == "slots" and kind and old_kind
    and typed.join(key.kind or old_kind, typed.join(kind, old_kind))
  local is_new = joined_kind and joined_kind ~= key.kind
  key.kind = joined_kind or key.kind
  return is_new or false
end

-- Returns the values that an iteration changes, by id; true if `keys` lacks some of them or describes them differently;
-- and an error if the loop must be refused. `end_states`: the states at the end of the body and at a break; slots from
-- `base` on belong to the loop.
local function collect_changed_values(keys, body_state, end_states, base)
  local changed, is_new = {}, false
  for id, key in pairs(keys) do
    changed[id] = key
  end
  for _, end_state in ipairs(end_states) do
    for _, where in ipairs(is_unreachable(end_state) and {} or { "slots", "mem", "marks" }) do
      for _, name in ipairs(list_differing_keys(end_state[where], body_state[where])) do
        local id, old_value, v = where .. " " .. name, body_state[where][name], end_state[where][name]
        if v ~= nil and (where ~= "slots" or name < base) then
          if not changed[id] then
            changed[id], is_new = { where = where, name = name }, true
          end
          is_new = M.record_maybe(changed[id], old_value, v) or is_new
          is_new = ctx.precision == "single" and M.widen_kind(changed[id], old_value, v) or is_new
        end
      end
    end
    for o, fields in pairs(is_unreachable(end_state) and {} or body_state.heap) do
      if end_state.heap[o] ~= fields then
        return changed, is_new, { refused = "an inner loop that writes to a table created before it" }
      end
    end
  end
  return changed, is_new
end

-- Executes the instructions of `run` up to, but not including, `end_pc`. Returns the state before `end_pc`, or nil if
-- no path falls through to it.
local function execute_until(run, state, end_pc)
  while run.pc < end_pc do
    local pending_state = run.pending[run.pc]
    if pending_state then
      state, run.pending[run.pc] = merge(state, pending_state), nil
    end
    if not is_unreachable(state) then
      state = step(run, state)
    end
    run.pc = run.pc + 1
  end
  return state
end

-- Executes the body of an inner loop once. Returns the state at the end of the iteration and the state at a break; nil
-- if no path leads there. `loop`: the loop, or the enclosing one if the loop is unrolled. `after`: pc after the loop.
local function run_iteration(run, body_state, loop, first_pc, last_pc, after)
  local body = { fn = run.fn, pc = first_pc, pending = {}, inner = { after = after }, outer = run,
    is_unrolled = loop == ctx.inner }
  local outer_loop, state = ctx.inner, copy(body_state, body_state.pred) ---@type table?, table?
  ctx.inner = loop
  state = execute_until(body, state, last_pc)
  ctx.inner = outer_loop
  return merge(state, body.pending[last_pc]), body.inner.broken
end

function M.replace_negative_zero(n)
  return n.op == "const" and constant(n.v + 0) or n.t == "i32" and n or ir.double.arithmetic("add", n, constant(0))
end

-- Returns the start and the step of a loop as LuaJIT changes them before the first iteration: -0 becomes 0, and if the
-- step is NaN, so does the start, so that the loop has no iterations.
function M.normalize_steps(start, increment)
  start, increment = M.replace_negative_zero(start), M.replace_negative_zero(increment)
  local is_number = increment.op == "const" and constant(increment.v == increment.v)
    or ir.compare_numbers("eq", increment, increment)
  return ir.choose(is_number, start, constant(0 / 0)), increment
end

local function new_loop(state, a, keys)
  ctx.loop_count = ctx.loop_count + 1
  local slots, loop = state.slots, { number = ctx.loop_count, items = {}, guard = state.pred, outer = ctx.inner,
    line = ctx.line, location = M.get_location() }
  for i, name in ipairs { "start", "stop", "step" } do
    loop[name] = ir.number(to_node(M.as_number(slots[a + i - 1])))
  end
  loop.start, loop.step = M.normalize_steps(loop.start, loop.step)
  for _, name in ipairs { "start", "stop", "step" } do
    loop[name] = ir.widen(loop[name], "f64")
  end
  local body_state = copy(state, constant(true))
  for _, id in ipairs(sorted_keys(keys)) do
    local key = keys[id]
    local t, init, kind, unwidened = get_initial_value(state, key)
    if not t then
      refuse("a value carried through an inner loop that is not a number, boolean or entity before it")
    end
    kind = key.kind or kind
    key.item = new_phi(loop, t, kind and unwidened or init, kind)
    local v = key.where == "slots" and to_slot_value(t, key.item.node) or key.item.node
    if key.maybe then
      key.present = new_phi(loop, "bool", (split_maybe(state.slots[key.name])))
      v = create_maybe(key.present.node, v)
    end
    body_state[key.where][key.name] = v
  end
  loop.is_count = loop.start.op == "const" and loop.start.v == 1 and loop.step.op == "const" and loop.step.v == 1
  loop.index = new_phi(loop, "f64", loop.start, ctx.precision == "single" and "whole" or nil)
  for i = 0, 3 do
    body_state.slots[a + i] = loop.index.node
  end
  return loop, body_state
end

local function get_value_after_iteration(state, key)
  local v = state[key.where][key.name]
  if key.where == "slots" then
    local t, node, kind, unwidened = choose_carried_kind(v)
    if v == NIL and key.maybe then
      t, node, kind = key.maybe, key.item.node, nil
    elseif not key.maybe and is_maybe(v) then
      t = nil
    end
    if kind then
      node, t = M.to_carried(unwidened, key.item.node), key.item.t
    end
    if t ~= key.item.t and not (v == NIL and key.maybe) then
      refuse("a value carried through an inner loop that changes its type")
    end
    return node
  end
  return ir.widen(key.where == "mem" and get_current_value(state, key.name) or v or constant(false), key.item.t)
end

-- Sets the values carried to the next iteration and the values after the loop, from the states at the end of the body
-- and at a break.
local function close_loop(loop, keys, end_state, break_state)
  local has_end, has_break = not is_unreachable(end_state), not is_unreachable(break_state)
  for _, id in ipairs(sorted_keys(keys)) do
    local key, item = keys[id], keys[id].item
    local end_value, break_value = has_end and get_value_after_iteration(end_state, key), has_break
      and get_value_after_iteration(break_state, key)
    item.next = end_value and break_value and ir.choose(break_state.pred, break_value, end_value) or end_value
      or break_value or item.node
    if key.maybe then
      local present = has_end and split_maybe(end_state.slots[key.name]) or nil
      local break_present = has_break and split_maybe(break_state.slots[key.name]) or nil
      key.present.next = present and break_present and ir.choose(break_state.pred, break_present, present)
        or present or break_present or key.present.node
    end
  end
  loop.break_condition = has_break and break_state.pred or constant(false)
  loop.index.next = ir.double.arithmetic("add", loop.index.node, loop.step)
  loop.bad = new_phi(loop, "bool", constant(false))
  loop.has_broken = new_phi(loop, "bool", constant(false))
  loop.bad.next, loop.has_broken.next = OR(ctx.exit_condition, loop.bad.node), loop.break_condition
end

-- Replaces the loop-carried values in the state with their values after the loop, and adds the side exit for too many
-- iterations.
local function leave_inner_loop(state, loop, keys, outer, a)
  ctx.exit_condition = OR(outer.exit_condition, AND(state.pred, get_value_after_loop(loop, loop.bad)))
  ctx.active = OR(outer.active, state.pred)
  local reason = "an inner loop with too many iterations"
  ctx.exit_locations[reason], ctx.took_exit = loop.location, true
  ctx.failures[#ctx.failures + 1] = { reason = reason, line = loop.line }
  for _, id in ipairs(sorted_keys(keys)) do
    local key = keys[id]
    local node = get_value_after_loop(loop, key.item)
    local v = key.where == "slots" and to_slot_value(key.item.t, node) or node
    state[key.where][key.name] = key.maybe and create_maybe(get_value_after_loop(loop, key.present), v) or v
  end
  for i = a, 250 do
    state.slots[i] = nil
  end
end

-- Maximum numbers of iterations of an unrolled loop: a loop with constant bounds, or over the values of a list. A loop
-- over more than MAX_UNROLLED values is not unrolled if rows are calculated one at a time.
local MAX_UNROLLED = 8
M.MAX_UNROLLED_VALUES = 16

local function get_constant(v)
  if type(v) == "table" and v.node and v.op == "const" then
    v = v.v
  end
  return type(v) == "number" and v or nil
end

-- Returns the index of each iteration of a loop with constant bounds and a constant step, or nil if there are more than
-- `max_count` iterations. As in LuaJIT, a start of -0 is 0, and there are no iterations if the step is NaN.
function M.list_indices(start, stop, increment, max_count)
  local indices, k = {}, start + 0
  while increment >= 0 and k <= stop or increment < 0 and k >= stop do
    if #indices == max_count then
      return nil
    end
    indices[#indices + 1] = k
    k = k + increment
  end
  return indices
end

-- Returns the maximum length of a list if `length` is its length and loops over its values are unrolled, otherwise nil.
function M.get_unrolled_capacity(length)
  local capacity = type(length) == "table" and length.node and ctx.lengths[length]
  if not capacity or capacity > M.MAX_UNROLLED_VALUES
    or capacity > MAX_UNROLLED and ctx.assumed[M.KEEPS_LIST_LOOPS] then
    return nil
  end
  ctx.has_unrolled_list = ctx.has_unrolled_list or capacity > MAX_UNROLLED
  return capacity
end

-- Returns the indices for which the body of a loop is copied, and the condition under which a row executes the copy for
-- index k. Returns nil for a loop that is not unrolled. Loops of bodies in single precision are not unrolled: in a
-- loop, a number has the same type in all iterations, which affects the results.
function M.plan_unrolling(start, stop, increment)
  local first, last, by = get_constant(start), get_constant(stop), get_constant(increment)
  if ctx.precision == "single" then
    return nil
  end
  local is_ascending, is_descending = first == 1 and by == 1 and not last, last == 1 and by == -1 and not first
  local length = is_ascending and stop or is_descending and start or nil
  local capacity = length and M.get_unrolled_capacity(length)
  if capacity then
    return M.list_indices(first or capacity, last or capacity, by, capacity),
      function(k) return ir.compare("le", k, length) end
  elseif not (first and last and by) or ctx.assumed[KEEPS_LOOPS] then
    return nil
  end
  local indices = M.list_indices(first, last, by, MAX_UNROLLED)
  ctx.has_unrolled = ctx.has_unrolled or indices ~= nil
  return indices, function() return constant(true) end
end

local function get_jump_target(fn, pc)
  local _, _, _, _, d = bytecode.read_instruction(fn, pc)
  return pc + 1 + d - 0x8000
end

-- Returns the number of paths that have ended in a side exit or in a return from the current function. While the number
-- is unchanged, all paths of a loop's body meet after it, so the predicate before the loop applies.
function M.count_ended_paths()
  return ctx.exited_paths + ctx.returned_paths
end

-- Executes a copy of a loop's body for each of its iterations: { is_executed, excluded?, values }. `is_executed`: the
-- condition under which a row executes the iteration; `excluded`: conditions that are then false; `values`: values of
-- the loop's variables, in the slots from `variables` on. Slots from `base` on belong to the loop. Where all paths
-- meet, the predicate before an iteration also holds after it, and is shorter than the disjunction of the paths.
function M.execute_copies(run, state, iterations, base, variables, first_pc, last_pc, after)
  local current, break_states = copy(state, state.pred), nil ---@type table?, table?
  local ended_before_loop = M.count_ended_paths()
  for _, iteration in ipairs(iterations) do
    local pred, ended_before = current.pred, M.count_ended_paths()
    local body_state, skip_state = copy(current, AND(current.pred, iteration.is_executed)),
      copy(current, AND(current.pred, NOT(iteration.is_executed)))
    for _, condition in ipairs(iteration.excluded or {}) do
      ctx.excluded[condition] = (ctx.excluded[condition] or 0) + 1
    end
    local ok, end_state, break_state = true, nil, nil
    if not is_unreachable(body_state) then
      ok, end_state, break_state = pcall(function()
        local values = iteration.get_values(body_state)
        for i, v in ipairs(values) do
          body_state.slots[variables + i - 1] = v
        end
        return run_iteration(run, body_state, ctx.inner, first_pc, last_pc, after)
      end)
    end
    for _, condition in ipairs(iteration.excluded or {}) do
      ctx.excluded[condition] = ctx.excluded[condition] > 1 and ctx.excluded[condition] - 1 or nil
    end
    if not ok then
      error(end_state, 0)
    end
    break_states = merge(break_states, break_state)
    current = merge(end_state, skip_state)
    if is_unreachable(current) then
      break
    end
    current.pred = not break_state and M.count_ended_paths() == ended_before and pred or current.pred
  end
  current = merge(current, break_states)
  if current and M.count_ended_paths() == ended_before_loop then
    current.pred = state.pred
  end
  for _, key in ipairs { "pred", "slots", "mem", "marks", "heap" } do
    state[key] = current and current[key] or state[key]
  end
  state.pred = current and state.pred or constant(false)
  for i = base, 250 do
    state.slots[i] = nil
  end
end

-- Executes a short loop, `for k = 1, 4 do … end`, `for k = 1, #list do … end` or `for k = #list, 1, -1 do … end`, as
-- one copy of its body for each index. The index is then a constant, and rows can be calculated in vectors. Returns
-- false for other loops.
local function unroll_loop(run, state, a, exit_pc)
  local slots, iterations = state.slots, {}
  local selection = type(slots[a + 1]) == "table" and ctx.length_selections[slots[a + 1]]
  local indices, get_condition = M.plan_unrolling(slots[a], slots[a + 1], slots[a + 2])
  if not indices then
    return false
  end
  for i, k in ipairs(indices) do
    iterations[i] = { get_values = function() return { k } end }
    if selection then
      iterations[i].is_executed, iterations[i].excluded = M.split_selection(selection, k)
    else
      iterations[i].is_executed = get_condition(k)
    end
  end
  M.execute_copies(run, state, iterations, a, a + 3, run.pc + 1, exit_pc - 1, exit_pc)
  run.pc = exit_pc - 1
  return true
end

-- Returns the pc of the first instruction in the body of the loop whose ITERC is at `pc`. It follows the
-- first JMP to ITERC, which enters the loop. (The jump of ITERL is lost when LuaJIT has compiled the loop.)
function M.find_list_body(fn, pc)
  for entry_pc = 1, pc - 1 do
    if bytecode.read_instruction(fn, entry_pc) == "JMP" and get_jump_target(fn, entry_pc) == pc then
      return entry_pc + 1
    end
  end
  refuse("a loop over a table or an iterator")
end

-- Executes a loop over a table of constants, `for k, v in ipairs(t) do … end`, as one copy of its body for each value.
-- `a`: slot of the loop's first variable; `count`: number of its variables. The current instruction is the ITERC.
function M.unroll_list(run, state, a, count)
  local iterator, iterations, longest = state.slots[a - 3], {}, 0
  if type(iterator) ~= "table" or iterator.kind ~= "list_iterator" then
    refuse("a loop over a table or an iterator")
  end
  for _, length in ipairs(iterator.lengths) do
    longest = math.max(longest, length)
  end
  for k = 1, longest do
    local is_executed, excluded = M.split_selection(iterator, k)
    iterations[k] = { is_executed = is_executed, excluded = excluded, get_values = function(body_state)
      local values = { k, index(body_state, iterator.list, k) }
      for i = 3, count do
        values[i] = NIL
      end
      return values
    end }
  end
  M.execute_copies(run, state, iterations, a - 3, a, M.find_list_body(run.fn, run.pc), run.pc, run.pc + 2)
  run.pc = run.pc + 1
end

-- Executes an inner loop, `for k = a, b, c do … end`. To find its loop-carried values, executes its body repeatedly
-- until no new values appear.
local function execute_inner_loop(run, state, a, exit_pc)
  local outer, keys, last_pc = { exit_condition = ctx.exit_condition, active = ctx.active }, {}, exit_pc - 1
  for _ = 1, MAX_LOOP_PASSES do
    local loop, body_state = new_loop(state, a, keys)
    ctx.exit_condition, ctx.active = constant(false), constant(false)
    local ok, end_state, break_state = pcall(run_iteration, run, body_state, loop, run.pc + 1, last_pc, exit_pc)
    local changed, is_new, problem = {}, false, not ok and end_state or nil
    if ok then
      changed, is_new, problem = collect_changed_values(keys, body_state, { end_state or false, break_state or false },
        a)
    end
    if ok and not is_new and not problem then
      close_loop(loop, keys, end_state, break_state)
      leave_inner_loop(state, loop, keys, outer, a)
      run.pc = last_pc
      return
    end
    keys, ctx.exit_condition, ctx.active = changed, outer.exit_condition, outer.active
    if problem then
      error(problem, 0)
    end
  end
  refuse("an inner loop whose carried values cannot be determined")
end

-- Marks a value calculated before the loop as free (compile/single_precision.lua): it was calculated in f64, as in Lua,
-- and becomes f32 in rows that combine it with f32.
function M.mark_as_free(v)
  if is_maybe(v) then
    return { kind = "maybe", present = v.present, v = M.mark_as_free(v.v), label = v.label }
  elseif ctx.rules and type(v) == "table" and v.node and v.t ~= "bool" and v.op ~= "const" and v.op ~= "parameter" then
    local marked = ir.make("keep", v.t, v, nil, nil, "before", nil, nil)
    marked.lo, marked.hi, marked.kind = v.lo, v.hi, "free"
    return marked
  end
  return v
end

-- Begins the loop over rows, whose body is executed once for a symbolic row. Inside that body, executes an inner loop.
local function begin_loop(run, state, a, exit_pc)
  local slots = state.slots
  local stop = slots[a + 1]
  if ctx.in_row then
    return unroll_loop(run, state, a, exit_pc) or execute_inner_loop(run, state, a, exit_pc)
  elseif ctx.form ~= "update" then
    refuse("an inner loop")
  elseif depth > 1 then
    refuse("a loop over the rows in a called function")
  elseif not (type(stop) == "table" and stop.kind == "count" and slots[a] == 1 and slots[a + 2] == 1) then
    refuse("a loop other than for i = 1, q.count do")
  end
  ctx.in_row, ctx.loops = true, ctx.loops + 1
  slots[a + 3] = { kind = "row", label = "the row number" }
  ir.select_rules(ctx.rules)
  for i = 0, a - 1 do
    slots[i] = M.mark_as_free(slots[i])
  end
  local entry_slots = {}
  for i = 0, a - 1 do
    entry_slots[i] = slots[i]
  end
  run.loop = { head = run.pc, first = run.pc + 1, last = exit_pc - 1, base = a, entry_slots = entry_slots }
  ctx.loop_at = run.loop
end

local function end_loop(run, state)
  local loop = run.loop
  run.loop, ctx.in_row = nil, false
  ir.select_rules(nil)
  for i = 0, loop.base - 1 do
    if not is_same(state.slots[i], loop.entry_slots[i]) then
      refuse("a loop-carried value, such as a sum or a maximum")
    end
  end
  for i = loop.base, 250 do
    state.slots[i] = nil
  end
end

local function jump(run, target, state)
  if target <= run.pc then
    refuse("a loop that is not over rows")
  elseif run.inner and target >= run.inner.after then
    if target > run.inner.after then
      refuse("a jump out of several loops")
    end
    run.inner.broken = merge(run.inner.broken, state)
    return
  elseif run.loop and target > run.loop.last then
    return take_side_exit(state, "a break before the last row")
  end
  run.pending[target] = merge(run.pending[target], state)
end

-- Executes a comparison and the jump that follows it.
local function branch(run, state, op, a, d)
  local c = get_jump_condition(run.fn, state.slots, op, a, d)
  local target = get_jump_target(run.fn, run.pc + 1)
  local taken_state = copy(state, AND(state.pred, c))
  if op == "ISTC" or op == "ISFC" then
    taken_state.slots[a] = state.slots[d]
  end
  run.pc = run.pc + 1
  if not is_unreachable(taken_state) then
    jump(run, target, taken_state)
  end
  local next_state = copy(state, AND(state.pred, NOT(c)))
  return not is_unreachable(next_state) and next_state or nil
end

-- Merges the results of a return with the results of other paths. If one path returns fewer results, its missing
-- results are nil.
function M.merge_return(run, state, values)
  if state.dead then
    return nil
  end
  ctx.returned_paths = ctx.returned_paths + 1
  local result, previous_values = copy(state, state.pred), run.result and run.result.slots or values
  for i = 1, math.max(#values, #previous_values) do
    values[i], previous_values[i] = values[i] == nil and NIL or values[i], previous_values[i] == nil and NIL
      or previous_values[i]
  end
  result.slots = values
  run.result = merge(run.result, result)
  return nil
end

-- Executes one instruction. Returns the state after it, or nil if this path ends.
local function execute_instruction(run, state)
  local fn, pc = run.fn, run.pc
  local op, a, b, c, d = bytecode.read_instruction(fn, pc)
  ctx.now, ctx.fn = state, fn
  ctx.line = util.funcinfo(fn, pc).currentline
  if op and op:find("^IS") and op ~= "ISNEXT" and op ~= "ISTYPE" and op ~= "ISNUM" then
    return branch(run, state, op, a, d)
  elseif op == "JMP" then
    jump(run, get_jump_target(fn, pc), state)
    return nil
  elseif op == "FORI" or op == "JFORI" then
    begin_loop(run, state, a, pc + 1 + d - 0x8000)
    return state
  elseif op == "FORL" or op == "IFORL" or op == "JFORL" then
    end_loop(run, state)
    return state
  elseif op == "ITERC" and ctx.in_row then
    M.unroll_list(run, state, a, b - 1)
    return state
  elseif RETURNS[op] then
    local owner = run
    while owner.outer do
      if not owner.is_unrolled then
        refuse("a return in an inner loop")
      end
      owner = owner.outer
    end
    if owner.loop then
      return take_side_exit(state, "a return before the last row")
    end
    return M.merge_return(owner, state, get_return_values(state, op, a, op == "CALLMT" and c or d))
  elseif op == "UCLO" then
    jump(run, get_jump_target(fn, pc), state)
    return nil
  elseif not HANDLERS[op] then
    refuse(op == "GSET" and "an assignment to a global"
      or op and op:find("^USET") and "an assignment to a local of the file"
      or (op == "LOOP" or op == "ILOOP" or op == "JLOOP") and "a while or repeat loop"
      or (op == "ITERC" or op == "ISNEXT" or op == "ITERN") and "a loop over a table"
      or op and op:find("^TSET") and "a write to a table" or "an unsupported instruction (%s)", tostring(op))
  end
  HANDLERS[op](fn, state, a, b, c, d)
  return not state.dead and state or nil
end

-- Executes one instruction symbolically. In a row, an unsupported one becomes a side exit (rows that reach it run in
-- Lua), unless the body must be compiled without side exits or the error refuses the whole body.
function step(run, state)
  ir.pause()
  if not ctx.in_row then
    return execute_instruction(run, state)
  end
  local saved_depth, pc, line = depth, run.pc, ctx.line
  local ok, next_or_problem = pcall(execute_instruction, run, state)
  if ok then
    return next_or_problem
  elseif type(next_or_problem) ~= "table" or not next_or_problem.refused or next_or_problem.whole or ctx.precision then
    error(next_or_problem, 0)
  end
  ctx.refusal = ctx.refusal or { next_or_problem.refused, ctx.line or line }
  depth, run.pc = saved_depth, pc
  take_side_exit(state, next_or_problem.refused)
  return nil
end

-- Inlines a function call. Returns its results, and updates memory, marks, heap and predicate of `caller`, the state at
-- the call.
function execute(fn, arguments, caller)
  depth = depth + 1
  if depth > 8 then
    refuse("recursive calls, or calls nested more than 7 deep")
  end
  local info = util.funcinfo(fn)
  if info.isvararg then
    refuse("a call to a function with variable arguments")
  end
  local line, caller_fn, exited_before, returned_before = ctx.line, ctx.fn, ctx.exited_paths, ctx.returned_paths
  ctx.call_line = depth == 2 and line or ctx.call_line
  local state = copy(caller, caller.pred) ---@type table?
  state.slots = {}
  for i = 1, info.params do
    state.slots[i - 1] = arguments[i] == nil and NIL or arguments[i]
  end
  local run = { fn = fn, pc = 1, pending = {} }
  execute_until(run, state, info.bytecodes)
  depth, ctx.line, ctx.fn, ctx.returned_paths = depth - 1, line, caller_fn, returned_before
  local result = run.result
  if is_unreachable(result) then
    caller.dead = true
    return {}
  end
  caller.mem, caller.marks, caller.heap = result.mem, result.marks, result.heap
  if ctx.exited_paths ~= exited_before then -- if no path has exited, the result has the call's predicate
    caller.pred = result.pred
  end
  return result.slots
end

-- --- results

-- Finds columns that rows write and also read from other rows or entities, which may be processed before or after this
-- row. These columns are shared in the next symbolic execution. If the rows that are read belong to a different
-- query, a guard that the two queries have no common entity suffices.
local function mark_shared()
  for key in pairs(ctx.read_elsewhere) do
    local row_column, shared_column = ctx.columns[key], ctx.columns["of others " .. key]
    if row_column and row_column.written or shared_column and shared_column.written then
      ctx.found["shared " .. key] = true
    end
  end
  for key, reads in pairs(ctx.read_at) do
    local row_column, shared_column = ctx.columns[key], ctx.columns["of others " .. key]
    for _, o in ipairs((row_column and row_column.written or shared_column and shared_column.written) and reads
      or {}) do
      if o.is_other and not (shared_column and shared_column.written) then
        ctx.disjoint[o.record.number] = o.record
      else
        ctx.found["shared " .. key] = true
      end
    end
  end
  M.mark_shared_by_instances()
end

-- Marks columns as shared if the query has a `many` component: an entity then has several query rows, which share the
-- rows of the entity's other components. Marks every column of these other components that rows write.
function M.mark_shared_by_instances()
  local has_many = false
  for _, component in pairs(ctx.components) do
    has_many = has_many or component.kind == "many"
  end
  for _, column in pairs(has_many and ctx.columns or {}) do
    if column.written and components.by_name[column.component].kind ~= "many" then
      ctx.found["shared " .. column.component .. "." .. column.field.name] = true
    end
  end
end

---@class engine.symbolic_exec.Emission
---@field event? engine.Event
---@field enters? integer string id of the state that the rows enter; nil: the rows emit `event`
---@field pred engine.ir.Node
---@field fields { field: engine.Field, node: engine.ir.Node }[]

---@class engine.symbolic_exec.Result
---@field columns table<string, { component: string, field: engine.Field, written: boolean? }>
---@field mem table<string, engine.ir.Node> values of columns after the row, by column
---@field marks table<string, engine.ir.Node> by column: condition under which the row has written the column
---@field exit_condition engine.ir.Node condition under which the row takes a side exit
---@field active engine.ir.Node condition under which the row has any effect
---@field exit_reasons string[] reasons for side exits, sorted
---@field exit_locations table<string, string | integer> by reason: location, or line in the file of the body
---@field fixed_entities table<string, table> by column: entity, the same for all rows, that the column is read from
---@field writes { key: string, row: engine.ir.Node, value: engine.ir.Node, pred: engine.ir.Node }[] writes to
---shared columns, in instruction order
---@field hoisted { fetch: (fun(): any), v: any }[] values read before the loop, fetched once per run
---@field loop_at? engine.Loop the loop, if the function was executed as a whole
---@field in_order boolean? rows must be calculated one at a time, in order
---@field reason_in_order string?
---@field line_in_order integer? line of the reason, if known
---@field loops table[] inner loops
---@field is_uniform? fun(n: engine.ir.Node): boolean in vectors with inner loops: true if the node has the
---same value in all rows
---@field reads table<string, boolean> components and singletons that parameters are read from
---@field disjoint table<integer, engine.Query> queries that must not share a row with this query
---@field carried { key: string, kind: string, node: engine.ir.Node }[] loop-carried values
---@field parameters { key: string, fetch: fun(): any, kind: "number"|"boolean"|"id"|"bits" }[]
---@field checks { fetch: fun(): any, v: any }[] guards
---@field unknown { ids: table<string, integer>, count: integer } temporary ids of strings that are not interned
---@field commands { count: integer, spawns: integer, changes: boolean, entered_states: table<integer, true> } commands
---that rows queue; entered_states: string ids of the states that their entities enter
---@field emissions engine.symbolic_exec.Emission[] events that the machine code emits, or states that rows enter
---@field deferred? engine.symbolic_exec.Result result with commands as no-ops, if side exits can be deferred

local is_passing_commands = false -- true while execute_with_commands executes commands as no-ops

-- Resets the state for a symbolic execution. `precision`: "single"; "double" for a body in double precision that must
-- be compiled without side exits; otherwise nil.
local function begin_execution(form, query_components, optional, symbols, assumed, precision)
  if not function_handlers then
    add_functions()
  end
  ir.reset()
  depth, is_writing_column = 0, false
  local rules = precision == "single" and typed or nil
  ir.select_rules((form == "each" or symbols) and rules or nil)
  ctx = { form = form, components = query_components, optional = optional, symbols = symbols or {}, columns = {},
    checks = {},
    parameters = {}, parameter_list = {}, lookups = {}, lookup_list = {}, own_rows = {}, own_present = {},
    read_elsewhere = {},
    excluded = {}, -- conditions that are false in the current iterations of all enclosing unrolled loops
    length_selections = {}, -- selections of tables, by length node
    invariant = {}, fixed_entities = {}, fetches = {}, tables = {}, table_count = 0, record_count = 0,
    checked_entries = {}, -- sets of the keys for which M.get_entry has added a guard, by table
    unknown = { ids = {}, count = 0 }, exit_condition = constant(false),
    active = constant(false), exit_locations = {},
    exited_paths = 0, returned_paths = 0, -- numbers of side exits, and of returns from the current function
    carried_nodes = {}, carried_list = {}, assumed = assumed or {}, found = {}, read_at = {}, disjoint = {},
    writes = {}, reads_shared = {}, loop_count = 0, reads = {}, lengths = {}, -- lengths: capacity by length node
    assumptions = {}, -- results of the guards that assume_aligned and assume_valid_row have tried, by key
    late_derived = {}, loops = 0, hoisted = {}, hoisted_list = {}, in_row = form == "each",
    precision = precision, rules = rules, reports = {}, failures = {},
    commands = { pass = is_passing_commands and not precision, count = 0, spawns = 0, changes = false,
      reads_world = false, is_emitted = true, -- is_emitted: machine code can emit all events of the body
      entered_states = {} },
    emissions = {},
    libraries = { [env.math] = true, [env.shoal] = true, [env.shoal.math] = true,
      [env.bit] = true } }
end

local function return_refusal(problem)
  local source = ctx.fn and debug.getinfo(ctx.fn, "S").source or ""
  M.file_of_refusal = source:match("^@(.*)$")
  if type(problem) == "table" and problem.refused then
    return nil, problem.refused, ctx.line, problem.again or ctx.precision ~= nil and ctx.found_nil == true
  end
  return nil, "unsupported code (" .. tostring(problem) .. ")", ctx.line
end

-- Moves the loop-carried values from the state's memory to a list of { key, kind, put, node }.
local function collect_carried(state)
  for _, item in ipairs(ctx.carried_list) do
    local node = state.mem[item.key] or ctx.carried_nodes[item.key]
    state.mem[item.key] = nil
    item.node = item.kind == "number" and M.to_carried(node, ctx.carried_nodes[item.key])
      or ir.widen(node, CARRIED[item.kind])
  end
  return ctx.carried_list
end

local MAX_PASSES = 9
-- Maximum number of nodes of a body with unrolled loops, and of a body in which only loops over lists are unrolled.
local MAX_UNROLLED_NODES = 600
M.MAX_UNROLLED_LIST_NODES = 2500
M.MAX_COLUMNS = 64 -- equal to NATIVE_MAX_COLUMNS in native/loop.h
M.MAX_EMISSIONS = 8 -- equal to NATIVE_MAX_EMISSIONS in native/loop.h

-- Returns true if the body has more columns or nodes than compiled code may have. Called for bodies that change lists.
function M.is_too_large()
  local column_count = 0
  for _ in pairs(ctx.columns) do
    column_count = column_count + 1
  end
  return column_count > M.MAX_COLUMNS or ir.count_nodes() > ir.MAX_NODES
end

-- Repeats the symbolic execution until it finds no new loop-carried values or shared columns. Each execution receives
-- the values and columns found so far (`assumed`). If a remaining loop forces rows to be calculated one at a time, or
-- if there are too many nodes, no loop with constant bounds is unrolled: unrolling would gain little, or LLVM would
-- take too long. The same applies to loops over long lists. If the body is still too large, it changes lists in Lua.
local function repeat_until_stable(execute_once)
  local assumed = {}
  for _ = 1, MAX_PASSES do
    local result, reason, line, may_retry = execute_once(assumed)
    local is_new = false
    if ctx.has_unrolled and (result and result.in_order and ctx.loop_count > 0
      or ir.count_nodes() > MAX_UNROLLED_NODES) then
      ctx.found[KEEPS_LOOPS] = true
    elseif ctx.has_unrolled_list and (result and result.in_order or ir.count_nodes() > M.MAX_UNROLLED_LIST_NODES) then
      ctx.found[M.KEEPS_LIST_LOOPS] = true
    elseif ctx.has_changed_list and not ctx.precision and M.is_too_large() then
      ctx.found[M.LIST_CHANGES_EXIT] = true
    end
    for key in pairs(ctx.found) do -- ctx.found[key]: kind of a loop-carried value, or true
      is_new, assumed[key] = is_new or assumed[key] ~= ctx.found[key], ctx.found[key]
    end
    if not is_new then
      return result, reason, line, may_retry
    end
  end
  return nil, "loop-carried values that cannot be determined"
end

-- Determines whether rows must be calculated sequentially (`in_order`), and why, and finds the inner loops. Rows that
-- write to other rows can be calculated in vectors if no row reads the written columns; their stores are made in row
-- order. Rows with inner loops can be calculated in vectors if they execute the same iterations.
local function set_order(result)
  local reason, line
  result.loops, result.is_uniform, reason, line = uniform_loops.find(result)
  for _, entry in ipairs(result.writes) do
    if ctx.reads_shared[entry.key] then
      reason, line = ("rows write %s and read it in other rows"):format(entry.key:gsub("^of others ", "")), nil
    elseif result.uses_tiles or result.precision then
      reason, line = "rows write to other rows", nil
    end
  end
  if #result.carried > 0 then
    reason, line = "a loop-carried value", nil
  end
  result.in_order, result.reason_in_order, result.line_in_order = reason ~= nil, reason, line
  result.is_uniform = not result.in_order and #result.loops > 0 and result.is_uniform or nil
end

-- Returns the reason and the line if the body uses columns in ways that machine code does not support.
function M.find_refusal_of_columns()
  for name in pairs(ctx.fixed_entities) do
    local shared_column = ctx.columns["of others " .. name]
    if shared_column and shared_column.written and is_shared(name:match("^([^.]*)%.(.*)$")) then
      return ("a read of %s from an entity that is the same for all rows, in a loop that writes %s"):format(name,
        name), ctx.line
    end
  end
  for _, column in pairs(ctx.columns) do
    if ctx.uses_tiles and column.written and components.find_builtin("tilemap").name == column.component then
      return "tiles:solid in a loop that writes tilemap", ctx.line
    end
  end
  return M.check_late_derived()
end

-- Forms that are compiled, for calls that run in Lua, by the reason of the side exit.
M.COMPILED_FORMS = {
  ["e:enter"] = "call it with a constant name, and queue other changes in a separate system",
  ["world.who_targets"] = "loop over the referrers in a query of their own, and reach their targets with "
    .. "world.lookup: hp[q.NAME.FIELD:raw(i)]",
}

-- Returns a clause for each call that runs in Lua and has an equivalent that is compiled, for the end of a sentence; ""
-- if no call has one.
---@param reasons string[] reasons for side exits
---@param locations table<string, integer|string> line in the system's file, or "file:line", by reason
---@return string
function M.format_forms(reasons, locations)
  local clauses = {}
  for _, reason in ipairs(reasons) do
    local form, location = M.COMPILED_FORMS[reason], locations[reason]
    clauses[#clauses + 1] = form and ("; instead of %s, %s"):format(
      type(location) == "number" and "line " .. location or location, form)
  end
  return table.concat(clauses)
end

-- Types of the nodes that are stored in columns of these types; columns of different types store i32.
M.STORED = { f32 = "f32", f64 = "f64", bool = "bool" }

-- Returns the reason and the line if a node has a different type than its column: its bits would be stored as a
-- different value, without an error in the interpreter. This is an error in the typing rules, not in the body.
---@param result engine.symbolic_exec.Result
---@return string? reason
---@return integer? line
function M.find_type_mismatch(result)
  local function describe(key, node)
    local column = result.columns[key]
    if node.t ~= (M.STORED[column.field.type] or "i32") then
      return ("a value of type %s for %s, a field of type %s (this is an error in Shoal, report it with this file)"
        ):format(node.t, (key:gsub("^of others ", "")), column.field.type), column.line
    end
  end
  for _, key in ipairs(sorted_keys(result.mem)) do
    local reason, line = describe(key, result.mem[key])
    if reason then
      return reason, line
    end
  end
  for _, written in ipairs(result.writes) do
    local reason, line = describe(written.key, written.value)
    if reason then
      return reason, line
    end
  end
end

-- Returns the result of a symbolic execution. If the code is refused, for example because it writes nothing, returns
-- nil, the reason and, if known, the line.
local function create_result(state)
  mark_shared()
  local reason_refused, line_refused = M.find_refusal_of_columns()
  if reason_refused then
    return nil, reason_refused, line_refused
  end
  local reasons = {}
  for label in pairs(ctx.exit_locations) do
    reasons[#reasons + 1] = label
  end
  table.sort(reasons)
  -- Code that writes nothing is still useful if it selects the rows that must run in Lua.
  local has_effect = ctx.exit_condition.op ~= "const" or ctx.commands.count > 0
  if state.dead or next(state.mem) == nil and #ctx.writes == 0 and not has_effect
    or ir.is_const(ctx.exit_condition, true) then
    if ctx.refusal then
      return nil, ctx.refusal[1], ctx.refusal[2]
    end
    return nil, #reasons > 0
      and "every row runs in Lua: " .. table.concat(reasons, ", ") .. M.format_forms(reasons, ctx.exit_locations)
      or "a body that writes nothing"
  end
  for name in pairs(ctx.fixed_entities) do
    ctx.reads[name:match("^[^.]*")] = true
  end
  local result = { reports = ctx.reports, failures = ctx.failures, precision = ctx.precision,
    carried = collect_carried(state), reads = ctx.reads,
    writes = ctx.writes, columns = ctx.columns, mem = state.mem,
    marks = state.marks, exit_condition = ctx.exit_condition, active = ctx.active,
    exit_reasons = reasons, exit_locations = ctx.exit_locations, uses_tiles = ctx.uses_tiles,
    hoisted = ctx.hoisted_list, loop_at = ctx.loop_at, fixed_entities = ctx.fixed_entities,
    lookups = ctx.lookup_list, looks_up = ctx.looks_up, own_rows = ctx.own_rows,
    parameters = ctx.parameter_list, checks = ctx.checks, disjoint = ctx.disjoint, unknown = ctx.unknown,
    commands = ctx.commands, emissions = {} }
  local mismatch, mismatch_line = M.find_type_mismatch(result)
  if mismatch then
    return nil, mismatch, mismatch_line
  end
  set_order(result)
  return result
end

-- Returns true if the side exits of rows that queue commands can be deferred until all other rows have run. No row may
-- have another side exit, use values left by other rows, read tiles, or read state that commands can change before the
-- system ends: whether an entity is alive, and the results of world.find and similar functions.
local function can_be_deferred(result)
  for _, item in ipairs(result.lookups) do
    if item.kind == LOOKUP_KINDS.alive then
      return false
    end
  end
  return ir.is_const(result.exit_condition, false) and not result.in_order and not result.uses_tiles
    and not result.commands.reads_world
end

-- Executes a function symbolically, treating its commands as no-ops. If the function has commands, executes it again
-- with a side exit in place of each command. The first execution determines whether these exits can be deferred, and
-- what they access. Returns the result of the first execution if `can_emit` is true (code publishes emissions after the
-- run), the exits can be deferred, machine code can emit all commands, no column is shared, and no value is carried.
local function execute_with_commands(execute_all, can_emit)
  is_passing_commands = true
  local result, reason, line, may_retry = execute_all()
  local counted_commands = ctx.commands
  is_passing_commands = false
  if counted_commands.count == 0 then
    return result, reason, line, may_retry
  end
  local deferred = result and can_be_deferred(result) and result or nil
  if deferred and can_emit and counted_commands.is_emitted and #deferred.writes == 0 and #deferred.carried == 0 then
    deferred.emissions = ctx.emissions
    return deferred
  end
  M.are_exits_commands = deferred ~= nil
  result, reason, line, may_retry = execute_all()
  M.are_exits_commands = false
  if result then
    result.deferred = deferred
  end
  return result, reason, line, may_retry
end

-- Executes the function of a system symbolically. `form`: the field of the declaration that contains it.
---@param fn function
---@param form "update"|"each"
---@param record engine.Query
---@param query_components table<string, engine.Component> components that every row has
---@param optional table<string, boolean> components that rows may have
---@param behaviour? engine.Component component of a behaviour: `fn` receives its accessor instead of the entity
---@param get_arguments? fun(): table? returns the arguments of world.run, for a system in phase "demand"
---@return engine.symbolic_exec.Result? nil if the function is refused
---@return string? reason
---@return integer? line
---@return boolean? again a later attempt may succeed
---@param precision? "single"|"double"
function M.execute_function(fn, form, record, query_components, optional, behaviour, get_arguments, precision)
  record.number = 1
  return execute_with_commands(function()
    return repeat_until_stable(function(assumed)
      return M.execute_function_once(fn, form, record, query_components, optional, behaviour, get_arguments, assumed,
        precision)
    end)
  end, true)
end

function M.execute_function_once(fn, form, record, query_components, optional, behaviour, get_arguments, assumed,
  precision)
  begin_execution(form, query_components, optional, nil, assumed, precision)
  ctx.is_hoisting, ctx.record = form == "update", form == "update" and record or nil
  local state = { pred = constant(true), slots = {}, mem = {}, marks = {}, heap = {} }
  local dt = get_parameter("dt", function() return 0 end, "number")
  local row = behaviour and { kind = "accessor", name = behaviour.name, label = "self" } or form == "each" and ENTITY
    or { kind = "view", label = "q", record = record }
  local ok, problem = pcall(function()
    return execute(fn, { row, dt, get_arguments and create_invariant("arguments", "arguments", get_arguments) }, state)
  end)
  ir.select_rules(nil)
  if not ok then
    return return_refusal(problem)
  elseif form == "update" and ctx.loops == 0 then
    return nil, "a function without a loop for i = 1, q.count do", ctx.line
  end
  local result, reason, line = create_result(state)
  if result and ctx.loops > 1 and (#result.carried > 0 or #result.writes > 0 or #result.exit_reasons > 0) then
    return nil, "a loop that depends on the results of another loop"
  end
  return result, reason, line
end

-- Returns the symbolic value of a local at the start of a loop. `locals` contains the current values.
local function read_local(locals, n, name, is_dt)
  local v = locals[n]
  local function fetch()
    return locals[n]
  end
  if is_dt then
    return get_parameter("dt", function() return 0 end, "number")
  elseif v ~= nil and type(v) ~= "number" and ctx.symbols[v] then
    add_check(v, fetch)
    return ctx.symbols[v]
  elseif type(v) == "function" or type(v) == "table"
    and (getmetatable(v) == nil or rawequal(v, env.world) or rawequal(v, env.input)) then
    add_check(v, fetch)
    return to_symbolic(v)
  end
  return create_invariant(("local %d %s"):format(n, name), name, fetch)
end

local function is_written_at_all(fn, slot)
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    if bytecode.writes(fn, pc, slot) then
      return true
    end
  end
  return false
end

-- Declares a loop-carried local that may be nil. It consists of two loop-carried values: its value, and a boolean that
-- is true if it is not nil.
local function declare_carried_maybe(locals, n, name, kind)
  local key, placeholder = ("local %d %s"):format(n, name), kind ~= "boolean" and 0
  local node = declare_carried(key, function()
    if locals[n] == nil then
      return placeholder
    end
    return kind == "id" and handle.get_id(locals[n]) or locals[n]
  end, kind, function(v) locals[n] = v end)
  local present = declare_carried(key .. " there", function() return locals[n] ~= nil end, "boolean",
    function(is_present)
    if not is_present then
      locals[n] = nil
    end
  end)
  ctx.carried_list[#ctx.carried_list].slot, ctx.carried_list[#ctx.carried_list - 1].slot = n, n
  ctx.carried_list[#ctx.carried_list].is_present = true
  return create_maybe(present, kind == "id" and { kind = "handle", n = node, label = name } or node)
end

local function declare_carried_local(locals, n, name)
  local kind = type(locals[n]) == "userdata" and "id" or type(locals[n])
  if type(ctx.assumed[n]) == "string" then
    return declare_carried_maybe(locals, n, name, ctx.assumed[n])
  elseif not CARRIED[kind] then
    refuse("a loop-carried value, %s, which is not a number, boolean or entity when the loop begins", name)
  end
  local node = declare_carried(("local %d %s"):format(n, name), function()
    return kind == "id" and handle.get_id(locals[n]) or locals[n]
  end, kind, function(v) locals[n] = v end)
  ctx.carried_list[#ctx.carried_list].slot = n
  return kind == "id" and { kind = "handle", n = node, label = name } or node
end

local PARAMETER_KIND = { f64 = "number", i32 = "id", bool = "boolean" }

-- Stores a row's new value of a loop-carried local.
local function carry_local(state, old_value, n)
  local item, present = nil, nil
  for _, entry in ipairs(ctx.carried_list) do
    item = entry.slot == n and not entry.is_present and entry or item
    present = entry.slot == n and entry.is_present and entry or present
  end
  local v = M.plain_number(state.slots[n - 1])
  if not present and (old_value == NIL or v == NIL or is_maybe(v)) then
    local kind = choose_carried_kind(v == NIL and old_value or v)
    ctx.found[n] = kind and PARAMETER_KIND[kind] or true
    return
  elseif not item then
    ctx.found[n] = true
    return
  end
  if present then
    local is_present, present_value = split_maybe(v)
    state.mem[present.key], ctx.active = is_present, constant(true)
    v = M.plain_number(present_value)
    if v == nil then
      return
    end
  end
  local node = item.kind == "id" and is_entity(v) and to_entity_node(v) or item.kind ~= "id" and to_node(v)
  if type(node) == "table" and node.node and item.kind == "number" and node.t ~= "bool" and ctx.rules then
    local carried = ctx.carried_nodes[item.key]
    local kind = typed.join(carried.kind, typed.get_kind(node))
    if kind ~= carried.kind then
      ctx.found["kind of " .. item.key] = kind
      return
    end
  end
  if type(node) ~= "table" or not node.node or (node.t == "bool") ~= (item.kind == "boolean") then
    refuse("a loop-carried value that is not always %s", item.kind == "id" and "an entity" or "a "
      .. item.kind)
  elseif not is_same(old_value, state.slots[n - 1]) then
    state.mem[item.key], ctx.active = item.kind == "number" and M.to_carried(node, ctx.carried_nodes[item.key]) or node,
      constant(true)
  end
end

local function create_initial_slots(fn, loop, locals, names)
  local slots = {}
  for n = 1, loop.base do
    local is_dt = n == 2 and names[n] == "dt" and util.funcinfo(fn).params >= 2 and not is_written_at_all(fn, 1)
    local ok, v = pcall(ctx.assumed[n] and declare_carried_local or read_local, locals, n, names[n] or "", is_dt)
    if not ok and (type(v) ~= "table" or not v.refused) then
      error(v, 0)
    end
    slots[n - 1] = ok and v or MIXED
  end
  slots[loop.base + 3] = { kind = "row", label = "the row number" }
  return slots
end

-- Executes the body of a loop over rows. `skipped_state`: state of the rows that a stepped loop (its step is not 1)
-- skips.
local function execute_body(fn, loop, state, skipped_state)
  local entry_slots = {}
  for i = 0, loop.base - 1 do
    entry_slots[i] = state.slots[i]
  end
  for slot, v in pairs(loop.constants or {}) do -- the order does not matter
    state.slots[slot] = v
  end
  local run = { fn = fn, pc = loop.body or loop.first, pending = {}, loop = { first = loop.first, last = loop.last } }
  run.pending[loop.last] = not is_unreachable(skipped_state) and skipped_state or nil
  depth, ctx.in_row = 1, true
  state = merge(execute_until(run, state, loop.last), run.pending[loop.last])
  if is_unreachable(state) then
    return { mem = {}, marks = {}, dead = true }
  end
  for i = 0, loop.base - 1 do
    if not is_same(state.slots[i], entry_slots[i]) then
      carry_local(state, entry_slots[i], i + 1)
    end
  end
  return state
end

-- Executes one loop of a function symbolically with the values that its locals have when the loop starts
-- (compile/loop_rewrite.lua). `symbols`: symbolic values of the tables and columns that the function may hold in
-- locals, indexed by those tables and columns.
---@param fn function
---@param loop engine.Loop
---@param locals any[] retained: must have the current values whenever the guards are checked
---@param names string[] names of the locals
---@param query_components table<string, engine.Component>
---@param optional table<string, boolean>
---@param symbols table<any, table>
---@param steps { first: integer, stop: integer, step: integer, has_guards: boolean? } start, stop and step of the loop
---in this run; has_guards: may add guards that often hold, but need not hold in later runs
---@param precision? "single"|"double"
---@return engine.symbolic_exec.Result?
---@return string? reason
---@return integer? line
---@return boolean? again
function M.execute_loop(fn, loop, locals, names, query_components, optional, symbols, steps, precision)
  return execute_with_commands(function()
    return repeat_until_stable(function(assumed)
      return M.execute_loop_once(fn, loop, locals, names, query_components, optional, symbols, steps, assumed,
        precision)
    end)
  end, not loop.stepped)
end

-- Returns the condition under which a stepped loop visits the row. Native code only runs rows from the loop's start to
-- its stop.
function M.get_visit_condition(loop, steps)
  if not loop.stepped then
    return constant(true)
  end
  add_check(steps.step, function() return steps.step end)
  if steps.step == 1 then
    return constant(true)
  end
  local row, first_row = ir.make("row", "i32", nil, nil, nil, nil, 1, 2 ^ 22),
    ir.make("parameter", "i32", nil, nil, nil, "first row", 1, 2 ^ 22)
  get_parameter("first row", function() return steps.first end, "id")
  return ir.compare("eq", ir.modulo(ir.arithmetic("sub", row, first_row), steps.step), 0)
end

function M.execute_loop_once(fn, loop, locals, names, query_components, optional, symbols, steps, assumed, precision)
  begin_execution("update", query_components, optional, symbols, assumed, precision)
  ctx.steps = not precision and steps or nil
  for _, symbol in pairs(symbols) do
    ctx.record = symbol.kind == "view" and symbol.record or ctx.record
  end
  ctx.line = util.funcinfo(fn, loop.first).currentline
  local ok, state = pcall(function()
    local slots = create_initial_slots(fn, loop, locals, names)
    local is_visited = M.get_visit_condition(loop, steps)
    local state = { pred = constant(true), slots = slots, mem = {}, marks = {}, heap = {} }
    return execute_body(fn, loop, copy(state, is_visited), copy(state, NOT(is_visited)))
  end)
  ir.select_rules(nil)
  if not ok then
    return return_refusal(state)
  end
  return create_result(state)
end

-- Returns the globals of game files.
---@return table<string, any>
function M.get_globals()
  return env
end

-- Sets the globals of game files, in which the supported functions are looked up.
---@param globals table<string, any>
function M.set_globals(globals)
  env = globals
end

return M

-- Kernels: `kernel = function(q, dt)` is called once with symbolic columns; what it calculates is recorded
-- (kernel/trace.lua, in the nodes of kernel/node.lua), cut into programs (kernel/plan.lua) and compiled to SIMD by
-- ORC (engine/script/kernel.c). Recording happens while the game is loaded, so what cannot be recorded is a load
-- error; compiling when the world knows the columns.
local need, native = ...
local abi, component, plan, report, scalar =
  need("abi"), need("component"), need("kernel/plan"), need("report"), need("kernel/scalar")
local C = abi.C
local BYTES, operands, sorted = need("kernel/node").BYTES, plan.operands, need("sorted")

---@class engine.kernel
---@field trace fun(fn: function, terms: engine.Term[]): engine.Trace
local M = { trace = need("kernel/trace").trace }

-- --- building

local SIGNS = { sign32 = -2 ^ 31, sign64 = -2 ^ 63 }

local function constant_variable(kernel, node)
  local special = SIGNS[node.value]
  local is_float = not special and (node.kind == "f32" or node.kind == "f64")
  return C.kernel_constant(kernel, node.bytes, is_float, special or node.value)
end

-- Temporaries of a program are reused when they are no longer needed: ORC has 16.
local function new_pool(kernel)
  local free = {}
  return {
    take = function(bytes)
      local list = free[bytes]
      if list and #list > 0 then
        return table.remove(list)
      end
      return C.kernel_temporary(kernel, bytes)
    end,
    give = function(bytes, variable)
      free[bytes] = free[bytes] or {}
      table.insert(free[bytes], variable)
    end,
  }
end

local COPY = { [1] = "copyb", [2] = "copyw", [4] = "copyl", [8] = "copyq" }

-- What a program reads and writes, as ORC's variables: → by node what it can read, and by column's key or node where
-- it writes.
local function declare_variables(kernel, traced, part, slots)
  local variables, destinations = {}, {}
  for _, write in ipairs(part.stores) do
    destinations[write.key] = C.kernel_use(kernel, slots[write.key], true)
  end
  for _, node in ipairs(part.outputs) do
    slots[node] = C.kernel_scratch(kernel, node.bytes)
    destinations[node] = C.kernel_use(kernel, slots[node], true)
  end
  for _, key in ipairs(part.columns) do
    variables[traced.columns[key].leaf] = destinations[key] or C.kernel_use(kernel, slots[key], false)
  end
  for _, node in ipairs(part.inputs) do
    variables[node] = C.kernel_use(kernel, slots[node], false)
  end
  for _, node in ipairs(part.constants) do
    variables[node] = constant_variable(kernel, node)
  end
  return variables, destinations
end

local function build_program(kernel, traced, items, part, last_use, slots)
  C.kernel_begin(kernel)
  local pool = new_pool(kernel)
  local variables, destinations = declare_variables(kernel, traced, part, slots)
  local function variable_of(node)
    if node and node.op == "dt" then
      return C.kernel_dt(kernel, node.bytes)
    end
    return node and variables[node] or 0
  end
  local mine = {}
  for i = part.from, part.to do
    local item = items[i]
    if item.store then
      C.kernel_op(kernel, COPY[item.value.bytes], destinations[item.store.key], variable_of(item.value), 0)
    else
      local node = item.node
      local a, b = variable_of(node.a), variable_of(node.b)
      local to = pool.take(node.bytes)
      C.kernel_op(kernel, node.op, to, a, b)
      variables[node], mine[node] = to, true
      if destinations[node] then
        C.kernel_op(kernel, COPY[node.bytes], destinations[node], to, 0)
      end
    end
    for _, node in pairs(operands(item)) do
      if mine[node] and last_use[node] == i then
        pool.give(node.bytes, variables[node])
        mine[node] = nil
      end
    end
  end
  return C.kernel_compile(kernel)
end

-- traced (M.trace) → the C kernel over an interned query, whether all of it became machine code, and how many
-- programs it has. The VM keeps it as long as it lives. nil and why not when it cannot be.
function M.build(traced, query)
  local items, segments, last_use, fits
  if not traced.too_large then
    items, segments, last_use, fits = plan.plan(traced)
  end
  if not fits then
    return nil, "its kernel is too large for machine code"
  end
  local kernel = C.kernel_create(query)
  C.vm_keep_kernel(abi.vm, kernel)
  local slots, written = {}, {}
  for _, write in ipairs(traced.writes) do
    written[write.key] = true
  end
  for _, key in ipairs(sorted(traced.columns)) do
    local column = traced.columns[key]
    slots[key] = C.kernel_column(kernel, column.known.id, column.field.column, BYTES[column.field.type],
      written[key] == true)
  end
  local compiled = true
  for _, part in ipairs(segments) do
    compiled = build_program(kernel, traced, items, part, last_use, slots) and compiled
  end
  if not C.kernel_is_sound(kernel, abi.error) then
    return nil, "its kernel cannot be machine code (" .. abi.error_text() .. ")"
  end
  return kernel, compiled, #segments
end

-- --- running (kernel/scalar.lua is the loop form), and the check against the loop form

local function column_of(view, write)
  local known, name = write.column.known, write.column.field.name
  local base, axis = name:match("^(.-)%.(%a)$")
  return base and view[known.name][base][axis] or view[known.name][name]
end

local function copy_of(column, count)
  local out = {}
  for i = 1, count do
    out[i] = column[i]
  end
  return out
end

-- In any bit, of numbers and truths.
local function differ(a, b)
  return a ~= b and (a == a or b == b) or a == 0 and 1 / a ~= 1 / b
end

local function exactly(v)
  return type(v) == "number" and ("%.17g"):format(v) or tostring(v)
end

local function checked_run(system, run, dt)
  local view, trace = system.record.view, system.trace
  local count, row = view.count, { i = 1 }
  local before, wanted = {}, {}
  for i, write in ipairs(trace.writes) do
    before[i] = copy_of(column_of(view, write), count)
  end
  local q, scalar_dt = scalar.query(system.terms, view, row, component), scalar.dt(dt)
  for i = 1, count do
    row.i = i
    system.declaration.kernel(q, scalar_dt)
  end
  for i, write in ipairs(trace.writes) do
    local column = column_of(view, write)
    wanted[i] = copy_of(column, count)
    for k = 1, count do
      column[k] = before[i][k]
    end
  end
  run(dt)
  for i, write in ipairs(trace.writes) do
    local column = column_of(view, write)
    for k = 1, count do
      if differ(column[k], wanted[i][k]) then
        report.complain("the kernel of %s differs from its loop form: %s[%d] is %s and not %s", system.name, write.key,
          k, exactly(column[k]), exactly(wanted[i][k]))
      end
    end
  end
end

-- A kernel that is too large for programs: every row through the function itself.
local function loop_form(system)
  local view, row, kernel = system.record.view, { i = 1 }, system.declaration.kernel
  return function(dt)
    local q, scalar_dt = scalar.query(system.terms, view, row, component), scalar.dt(dt)
    for i = 1, view.count do
      row.i = i
      kernel(q, scalar_dt)
    end
  end
end

-- What a system with a kernel does when it runs. Its query is open then.
---@param system engine.System
---@return fun(dt: number)
function M.body(system)
  local compiled, programs
  system.kernel, compiled, programs = M.build(system.trace, system.record.query)
  system.programs = programs
  if not system.kernel then
    need("log").warn("system %s: %s and runs slowly, as a loop over its rows: share it out among several systems",
      system.name, compiled)
    return loop_form(system)
  elseif not compiled then
    need("log").warn("system %s: its kernel has no machine code here and runs slowly", system.name)
  end
  local pointer = system.kernel
  local function run(dt)
    C.vm_run_kernel(abi.vm, pointer, dt)
  end
  if native.check_kernels then
    return function(dt)
      checked_run(system, run, dt)
    end
  end
  return run
end

return M

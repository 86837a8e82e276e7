-- Kernels: `kernel = function(q, dt)` is called once with symbolic columns; what it calculates is recorded
-- (kernel/trace.lua, in the nodes of kernel/node.lua) and handed over as a list of values (engine/native/lanes.h),
-- which becomes SIMD. Recording happens while the game is loaded, so what cannot be recorded is a load error;
-- compiling when the world knows the columns.
local need, native = ...
local abi = need("base/abi")
local log = need("base/log")
local report = need("base/report")
local sorted = need("base/sorted")
local compile = need("compile/compile")
local BYTES = need("kernel/node").BYTES
local scalar = need("kernel/scalar")
local tracing = need("kernel/trace")
local component = need("schema/component")
local C = abi.C

---@class engine.kernel
---@field trace fun(fn: function, terms: engine.Term[]): engine.Trace
local M = { trace = tracing.trace }

-- --- building

local SIGNS = { sign32 = -2 ^ 31, sign64 = -2 ^ 63 }

local function constant_value(kernel, node)
  local special = SIGNS[node.value]
  local is_float = not special and (node.kind == "f32" or node.kind == "f64")
  return C.kernel_constant(kernel, node.bytes, is_float, special or node.value)
end

-- → values(node): the number of its value in C, made when it is first wanted, behind those that it is made of.
local function values_of(kernel, slots)
  local made = {}
  local function value(node)
    if not node then
      return 0
    elseif not made[node] then
      local op = node.op
      made[node] = op == "column" and C.kernel_load(kernel, slots[node.value])
        or op == "const" and constant_value(kernel, node)
        or op == "dt" and C.kernel_dt(kernel, node.bytes)
        or C.kernel_op(kernel, op, value(node.a), value(node.b))
    end
    return made[node]
  end
  return value
end

-- traced (M.trace) → the C kernel over an interned query. The VM keeps it as long as it lives. nil and why not when it
-- cannot be.
function M.build(traced, query)
  if traced.too_large then
    return nil, "its kernel is too large for machine code"
  end
  local kernel = C.kernel_create(query, compile.kernels())
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
  local value = values_of(kernel, slots)
  for _, write in ipairs(traced.writes) do
    C.kernel_store(kernel, slots[write.key], value(write.value))
  end
  C.kernel_complete(kernel)
  if not C.kernel_is_sound(kernel, abi.error) then
    return nil, "its kernel cannot be machine code (" .. abi.error_text() .. ")"
  end
  return kernel
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

-- A kernel that is too large: every row through the function itself.
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
  local why
  system.kernel, why = M.build(system.trace, system.record.query)
  if not system.kernel then
    log.warn("system %s: %s and runs slowly, as a loop over its rows: share it out among several systems",
      system.name, why)
    compile.explain_kernel(system, why)
    return loop_form(system)
  end
  compile.explain_kernel(system)
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

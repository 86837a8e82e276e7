-- Finds the inner loops that all rows of a vector can execute together (emit.lua): every row executes the same
-- iterations, because start, stop and step are uniform (they have the same value in all rows of a run) and no `break`
-- ends the loop. Rows that do not reach such a loop take part in it, and their results are not used.
local need = ...
local ir = need("compile/ir")

---@class engine.uniform_loops
local M = {}

-- Operations whose result is uniform if their operands are uniform. A gather reads one row of a column that no row of
-- the run writes.
local PURE = {}
for op in ([[const parameter widen round keep whole add sub mul div modulo neg abs sqrt floor ceil exact lt le eq and or
  not choose wrap_add wrap_sub wrap_mul word bit_and bit_or bit_xor bit_shl bit_lshr bit_ashr bit_rol bit_ror gather
  mapped]]):gmatch("%S+") do
  PURE[op] = true
end

-- Calls visit_node(node) for a node and each node on which it depends, and visit_loop(loop) for each inner loop, nested
-- loops included.
local function visit_operands(n, visited, visit_node, visit_loop)
  if not n or visited[n] then
    return
  end
  visited[n] = true
  ir.pause()
  visit_node(n)
  visit_operands(n.a, visited, visit_node, visit_loop)
  visit_operands(n.b, visited, visit_node, visit_loop)
  visit_operands(n.c, visited, visit_node, visit_loop)
  local loop = n.op == "after_loop" and n.loop
  if not loop or visited[loop] then
    return
  end
  visited[loop] = true
  for _, bound in ipairs { loop.start, loop.stop, loop.step, loop.guard } do
    visit_operands(bound, visited, visit_node, visit_loop)
  end
  for _, item in ipairs(loop.items) do
    visit_operands(item.init, visited, visit_node, visit_loop)
    visit_operands(item.next, visited, visit_node, visit_loop)
  end
  visit_loop(loop)
end

-- Calls visit_node(node) for each node that a row's results depend on, and visit_loop(loop) for each inner loop.
---@param result engine.symbolic_exec.Result
---@param visit_node fun(n: engine.ir.Node)
---@param visit_loop fun(loop: table)
function M.visit(result, visit_node, visit_loop)
  local visited = {}
  local function visit(n)
    visit_operands(n, visited, visit_node, visit_loop)
  end
  visit(result.exit_condition)
  visit(result.active)
  for _, nodes in ipairs { result.mem, result.marks, result.own_rows } do
    for _, n in pairs(nodes) do
      visit(n)
    end
  end
  for _, item in ipairs(result.carried) do
    visit(item.node)
  end
  for _, write in ipairs(result.writes) do
    visit(write.row)
    visit(write.value)
    visit(write.pred)
  end
  for _, report in ipairs(result.reports) do
    visit(report.bad)
    visit(report.value)
  end
end

local function ignore_node() end

-- Returns the loops that a row's results depend on, sorted by number. Other loops were discarded during symbolic
-- execution.
local function list_loops(result)
  local loops = {}
  M.visit(result, ignore_node, function(loop) loops[#loops + 1] = loop end)
  table.sort(loops, function(a, b) return a.number < b.number end)
  return loops
end

-- Returns a function that returns true for uniform nodes. `varying`: loop-carried values of inner loops that differ
-- between rows.
local function create_test(varying)
  local known = {}
  local function is_uniform(n)
    if known[n] == nil then
      local uniform = PURE[n.op] or n.op == "phi" and not varying[n] or n.op == "after_loop"
        and not varying[n.item.node]
      known[n] = uniform and (not n.a or is_uniform(n.a)) and (not n.b or is_uniform(n.b))
        and (not n.c or is_uniform(n.c)) or false
    end
    return known[n]
  end
  return is_uniform
end

-- Assumes that all loop-carried values are uniform, and removes contradicted values until no contradiction is left.
local function find_uniform_nodes(loops)
  local varying, is_uniform, is_changed = {} ---@type table, function, boolean
  repeat
    is_uniform, is_changed = create_test(varying), false
    for _, loop in ipairs(loops) do
      for _, item in ipairs(loop.items) do
        if not varying[item.node] and not (is_uniform(item.init) and is_uniform(item.next)) then
          varying[item.node], is_changed = true, true
        end
      end
    end
  until not is_changed
  return is_uniform
end

-- Returns the inner loops of a result and a function that returns true for uniform nodes; or, if rows cannot execute
-- the loops together, the loops, nil, the reason and its line.
---@param result engine.symbolic_exec.Result
---@return table[] loops
---@return (fun(n: engine.ir.Node): boolean)? is_uniform
---@return string? reason
---@return integer? line
function M.find(result)
  local loops = list_loops(result)
  local is_uniform = find_uniform_nodes(loops)
  for _, loop in ipairs(loops) do
    if not ir.is_const(loop.has_broken.next, false) then
      return loops, nil, "a nested loop that a break ends", loop.line
    elseif not (is_uniform(loop.start) and is_uniform(loop.stop) and is_uniform(loop.step)) then
      return loops, nil, "a nested loop whose bounds differ from row to row", loop.line
    end
  end
  return loops, is_uniform
end

-- Returns the parameter or nil, and the constant, math.huge or nil, that limit a node from above: math.min(n, 100).
local function find_limit(n)
  if n.op == "const" then
    return nil, n.v
  elseif n.op == "parameter" then
    return n.v, math.huge
  elseif n.op ~= "choose" or n.c.op ~= "lt" or n.c.a ~= n.a or n.c.b ~= n.b then
    return nil, nil
  end
  local parameter, limit = find_limit(n.a)
  local other_parameter, other_limit = find_limit(n.b)
  return parameter or other_parameter, math.min(limit or math.huge, other_limit or math.huge)
end

-- Finds the inner loop of a result that is expected to iterate most often: the first loop that ends at a parameter, or
-- else the longest loop with constant bounds. Calls set(parameter, max_stop, step) with the arguments of
-- native_loop_set_iterations. If there is no such loop, or if the rows do not execute their inner loops together, the
-- arguments describe a single iteration.
---@param result engine.symbolic_exec.Result
---@param set fun(parameter: integer, max_stop: number, step: number)
function M.find_iterations(result, set)
  local index_by_key, longest = {}, 1
  for i, item in ipairs(result.parameters) do
    index_by_key[item.key] = i - 1
  end
  for _, loop in ipairs(result.is_uniform and result.loops or {}) do
    local step, start = loop.step.op == "const" and loop.step.v, loop.start.op == "const" and loop.start.v
    local key, stop = find_limit(loop.stop)
    if step and step > 0 and index_by_key[key] then
      set(index_by_key[key], stop, step)
      return
    end
    local count = step and start and stop and not key and (stop - start) / step + 1
    longest = count and count < math.huge and count > longest and count or longest
  end
  set(-1, longest, 1)
end

return M

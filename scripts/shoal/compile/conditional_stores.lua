-- Selects the columns that a vector stores conditionally, in a branch. If no row of the vector meets the column's
-- condition, the value is not calculated, and columns that only this value needs are not loaded. Loops over many rows
-- are memory-bound, so a branch pays off only if it saves a load.
local need = ...
local sorted_keys = need("base/sorted_keys")

---@class engine.stores
local M = {}

---@class engine.stores.Plan
---@field conditional table<string, engine.ir.Node> condition of the conditional store, by column
---@field shared engine.ir.Node[] nodes that must be evaluated before the first conditional store
---@field sparse table<engine.ir.Node, boolean> conditions of stores that are calculated row by row if few rows of the
--- vector meet the condition

-- Adds a node and all its operands to `visited`. Calls `visit`, if given, for each new node.
local function collect_nodes(n, visited, visit)
  if visited[n] then
    return
  end
  visited[n] = true
  if visit then
    visit(n)
  end
  for _, operand in ipairs { n.a or false, n.b or false, n.c or false } do
    if operand then
      collect_nodes(operand, visited, visit)
    end
  end
end

-- Returns the columns that can be stored conditionally, as groups of columns with the same condition, and the set of
-- nodes that are always evaluated. The field `needs` of a group contains the nodes on which the group's values depend.
local function list_candidates(result)
  local groups, unconditional = {}, {}
  collect_nodes(result.active, unconditional)
  for _, item in ipairs(result.reports) do
    collect_nodes(item.bad, unconditional)
    collect_nodes(item.value, unconditional)
  end
  for _, key in ipairs(sorted_keys(result.mem)) do
    local mark = result.marks[key]
    if not mark or mark == result.active or mark.op == "const" or result.own_rows[key] then
      collect_nodes(result.mem[key], unconditional)
    else
      collect_nodes(mark, unconditional)
      if not groups[mark] then
        groups[mark] = { mark = mark, keys = {}, needs = {} }
        groups[#groups + 1] = groups[mark]
      end
      table.insert(groups[mark].keys, key)
      collect_nodes(result.mem[key], groups[mark].needs)
    end
  end
  return groups, unconditional
end

local function can_save_load(group, unconditional)
  for n in pairs(group.needs) do
    if n.op == "load" and not unconditional[n] then
      return true
    end
  end
  return false
end

-- Returns the nodes that must be evaluated before the first conditional store: calculations that several groups share,
-- and loads of columns that would be overwritten before a group that reads them is evaluated.
local function find_shared(result, conditional, groups)
  local users, shared = {}, {}
  for _, group in ipairs(groups) do
    for n in pairs(group.needs) do
      users[n] = (users[n] or 0) + 1
    end
  end
  for _, group in ipairs(groups) do
    local visited = {}
    for _, key in ipairs(group.keys) do
      collect_nodes(result.mem[key], visited, function(n)
        local is_changed = n.op == "load" and result.mem[n.v] and (users[n] > 1 or conditional[n.v] ~= group.mark)
        if is_changed or users[n] > 1 and n.op ~= "load" and n.op ~= "const" then
          shared[#shared + 1] = n
        end
      end)
    end
  end
  return shared
end

-- Operations that are fast for a single row.
local PLAIN = {}
for op in ([[load const parameter row widen round keep whole add sub mul div modulo neg abs sqrt floor ceil lt le eq and
  or not choose wrap_add wrap_sub wrap_mul word bit_and bit_or bit_xor bit_shl bit_lshr bit_ashr bit_rol bit_ror
  gather]]):gmatch("%S+") do
  PLAIN[op] = true
end

-- Calls visit(n, is_true) for a condition and the conditions that follow from it.
---@param n engine.ir.Node
---@param is_true boolean
---@param visit fun(n: engine.ir.Node, is_true: boolean)
function M.infer(n, is_true, visit)
  visit(n, is_true)
  if n.op == "not" then
    M.infer(n.a, not is_true, visit)
  elseif n.op == (is_true and "and" or "or") then
    M.infer(n.a, is_true, visit)
    M.infer(n.b, is_true, visit)
  end
end

-- Returns true if few rows of a vector are better calculated one by one. The reason is gathers: a vector loads each
-- lane of a gather separately, even for rows that do not meet the condition. `shared` lists nodes that depend on
-- columns which may be stored before the group. A group that uses one of these nodes cannot be calculated row by row,
-- because only the vector has their values.
local function is_better_row_by_row(result, group, unconditional, shared)
  local has_gather, is_possible, is_shared, visited = false, true, {}, {}
  for _, n in ipairs(shared) do
    is_shared[n] = true
  end
  M.infer(group.mark, true, function(n) visited[n] = true end)
  for _, key in ipairs(group.keys) do
    collect_nodes(result.mem[key], visited, function(n)
      is_possible = is_possible and PLAIN[n.op] and not is_shared[n] and not (n.op == "gather" and result.mem[n.v])
      has_gather = has_gather or n.op == "gather" and not unconditional[n]
    end)
  end
  return is_possible and has_gather
end

-- Returns true if some column is stored under a condition that is neither constant nor the condition under which the
-- row has any effect.
local function has_candidates(result)
  for key in pairs(result.mem) do
    local mark = result.marks[key]
    if mark and mark ~= result.active and mark.op ~= "const" then
      return true
    end
  end
  return false
end

-- Selects the conditional stores of a result.
---@param result engine.symbolic_exec.Result
---@param is_plain boolean rows run in vectors and have no side exits
---@return engine.stores.Plan
function M.plan(result, is_plain)
  local conditional, selected = {}, {}
  local groups, unconditional = {}, {}
  if is_plain and has_candidates(result) then
    groups, unconditional = list_candidates(result)
  end
  for _, group in ipairs(groups) do
    if can_save_load(group, unconditional) then
      selected[#selected + 1] = group
      for _, key in ipairs(group.keys) do
        conditional[key] = group.mark
      end
    end
  end
  local shared, sparse = find_shared(result, conditional, selected), {}
  for _, group in ipairs(selected) do
    sparse[group.mark] = is_better_row_by_row(result, group, unconditional, shared)
  end
  return { conditional = conditional, shared = shared, sparse = sparse }
end

return M

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

-- Returns the columns that can be stored conditionally, grouped by condition, and the set of nodes that are always
-- evaluated. `needs` of a group: the nodes on which the group's values depend.
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
  return { conditional = conditional, shared = find_shared(result, conditional, selected) }
end

return M

-- Values that the previous row has stored. A loop such as `d[i] = math.min(d[i], d[i - 1] + cost[i])` reads, in every
-- row, the value that the previous row wrote. A load directly after the store of its value waits for the store to be
-- forwarded. Therefore machine code that calculates one row at a time passes the value in a register (emit.lua). The
-- first row of a call, for example after a side exit, loads it.
local need = ...
local ir = need("compile/ir")
local row_offsets = need("compile/row_offsets")
local uniform_loops = need("compile/uniform_loops")

---@class engine.previous_row
local M = {}

---@class engine.previous_row.Item
---@field key string key of the column
---@field map? string key of the row map through which the rows are found
---@field own engine.ir.Node loads the row's value before its writes
---@field reads engine.ir.Node[] loads of the previous row's value
---@field next engine.ir.Node the row's value after its writes

-- Returns the distance of an index (counted from 0) from the index of the loop's row, or nil if the distance is not
-- constant. Also returns the row map that was applied to the index, or nil if there is none. For a row that takes a
-- side exit the distance may be wrong, but the value at the index is then not used.
local function find_offset(index)
  local n, map = index, nil
  local function strip_limits()
    while n.op == "choose" and ir.is_const(n.b, 0) or n.op == "whole" do
      n = n.a
    end
  end
  strip_limits()
  if n.op == "mapped" then
    n, map = n.a, n.v
    strip_limits()
  end
  if n.op == "row_at" then
    return n.a.op == "const" and n.a.v or nil, map
  end
  local offset = row_offsets.find(n)
  return offset and #offset.parameters == 0 and offset.constant + 1 or nil, map
end

-- Returns the condition of a write. If the row writes a sum only if the sum is, for example, less than the row's own
-- value, returns the comparison of both numbers rounded to f32, which takes less time. If the rounded numbers are
-- equal, both choices store the same value.
local function narrow_condition(write, own)
  local near = write.pred.near
  local source = near and near.wide.source
  local is_sum = source and (source[1] == "add" or source[1] == "sub")
  if is_sum and (near.a == write.value and near.b == own or near.a == own and near.b == write.value) then
    return ir.make(write.pred.op, "bool", near.a, near.b)
  end
  return write.pred
end

-- Returns the item of a column that rows write; nil unless each row writes only its own value, in the column's type.
local function create_item(result, key)
  local own, map, node = nil, nil, nil
  for _, write in ipairs(result.writes) do
    if write.key == key then
      local offset, map_of_write = find_offset(write.row)
      own = own or ir.gather(key, result.columns[key].field, write.row)
      map, node = map or map_of_write, node or own
      if offset ~= 0 or map ~= map_of_write or write.value.t ~= own.t then
        return nil
      end
      node = ir.choose(narrow_condition(write, node), write.value, node)
    end
  end
  return { key = key, own = own, map = map, reads = {}, next = node }
end

-- Finds the values to pass from row to row.
---@param result engine.symbolic_exec.Result
---@return engine.previous_row.Item[]
function M.plan(result)
  local by_key, keys, plan = {}, {}, {}
  for _, write in ipairs(result.in_order and result.writes or {}) do
    if by_key[write.key] == nil then
      by_key[write.key] = create_item(result, write.key) or false
      keys[#keys + 1] = write.key
    end
  end
  if #keys == 0 then
    return plan
  end
  uniform_loops.visit(result, function(n)
    local item = n.op == "gather" and by_key[n.v]
    local offset, map = nil, nil
    if item then
      offset, map = find_offset(n.a)
    end
    if offset == -1 and map == item.map then
      table.insert(item.reads, n)
    end
  end, function() end)
  for _, key in ipairs(keys) do
    plan[#plan + 1] = by_key[key] and #by_key[key].reads > 0 and by_key[key] or nil
  end
  return plan
end

-- Returns true if a node depends on a value of the previous row.
---@param n engine.ir.Node
---@param items engine.previous_row.Item[]
---@return boolean
function M.is_read_by(n, items)
  local visited = {}
  for _, item in ipairs(items) do
    for _, read in ipairs(item.reads) do
      visited[read] = true
    end
  end
  local function depends(node)
    if node and visited[node] == nil then
      visited[node] = false
      visited[node] = depends(node.a) or depends(node.b) or depends(node.c)
    end
    return node and visited[node] or false
  end
  return depends(n)
end

return M

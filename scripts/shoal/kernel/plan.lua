-- From nodes to programs: a list of operations and stores, cut where ORC's limits are reached.
local need = ...
local sorted = need("sorted")

local M = {}

local function is_leaf(node)
  return node.op == "column" or node.op == "const" or node.op == "dt"
end

-- Leaves are visited every time, operations once.
local function walk(node, done, visit)
  if not node or done[node] then
    return
  end
  done[node] = not is_leaf(node) or nil
  walk(node.a, done, visit)
  walk(node.b, done, visit)
  visit(node)
end

local function reads_column(node, key, emitted)
  local found = false
  walk(node, setmetatable({}, { __index = emitted }), function(n)
    found = found or (n.op == "column" and n.value == key)
  end)
  return found
end

-- Stores go as early as nobody still needs the old value; those that wait for one another go last.
local function linear(trace)
  local items, emitted, left = {}, {}, {}
  for i, write in ipairs(trace.writes) do
    left[i] = write
  end
  local function emit(write)
    walk(write.value, emitted, function(node)
      if not is_leaf(node) then
        items[#items + 1] = { node = node }
      end
    end)
  end
  local function store(write)
    items[#items + 1] = { store = write, value = write.value }
  end
  while #left > 0 do
    local chosen
    for i, write in ipairs(left) do
      local wanted = false
      for k, other in ipairs(left) do
        wanted = wanted or (k ~= i and reads_column(other.value, write.key, emitted))
      end
      if not wanted then
        chosen = i
        break
      end
    end
    if chosen then
      local write = table.remove(left, chosen)
      emit(write)
      store(write)
    else
      for _, write in ipairs(left) do
        emit(write)
      end
      for _, write in ipairs(left) do
        store(write)
      end
      left = {}
    end
  end
  return items
end

local function operands(item)
  if item.store then
    return { item.value }
  end
  local a, b = item.node.a, item.node.b
  return { a or b or nil, a and b or nil }
end

-- What items[from..to] would be as one program.
local function segment(items, from, to, last_use)
  local stored, defined, columns, inputs, constants = {}, {}, {}, {}, {}
  local out = { stores = {}, columns = {}, inputs = {}, outputs = {}, constants = {}, temporaries = 0 }
  local alive, peak = 0, 0
  for i = from, to do
    local item = items[i]
    if item.store then
      stored[item.store.key] = true
      out.stores[#out.stores + 1] = item.store
    end
    for _, node in pairs(operands(item)) do
      if node.op == "column" then
        columns[node.value] = node
      elseif node.op == "const" and not constants[node] then
        constants[node] = true
        out.constants[#out.constants + 1] = node
      elseif not is_leaf(node) and not defined[node] and not inputs[node] then
        inputs[node] = true
        out.inputs[#out.inputs + 1] = node
      end
      if defined[node] and last_use[node] == i then
        alive = alive - 1
      end
    end
    if item.node then
      defined[item.node] = true
      alive = alive + 1
      peak = math.max(peak, alive)
    end
  end
  for i = from, to do
    local node = items[i].node
    if node and last_use[node] > to then
      out.outputs[#out.outputs + 1] = node
    end
  end
  local sources = #out.inputs
  for _, key in ipairs(sorted(columns)) do
    if not stored[key] then
      sources = sources + 1
    end
    out.columns[#out.columns + 1] = key
  end
  out.stored = stored
  out.fits = sources <= 8 and #out.stores + #out.outputs <= 4 and #out.constants <= 8 and peak <= 8 and sources + peak <= 14
  return out
end

local function cut(items)
  local last_use = {}
  for i, item in ipairs(items) do
    for _, node in pairs(operands(item)) do
      last_use[node] = i
    end
  end
  local segments, from = {}, 1
  while from <= #items do
    local best
    for to = from, math.min(#items, from + 100) do
      local candidate = segment(items, from, to, last_use)
      if candidate.fits then
        best = { to = to, candidate = candidate }
      end
    end
    best = best or { to = from, candidate = segment(items, from, from, last_use) }
    best.candidate.from, best.candidate.to = from, best.to
    segments[#segments + 1] = best.candidate
    from = best.to + 1
  end
  return segments, last_use
end

-- trace (trace.lua) → items, segments (each { from, to, stores, columns, inputs, outputs, constants }), last use of each node
function M.plan(trace)
  local items = linear(trace)
  local segments, last_use = cut(items)
  return items, segments, last_use
end

M.operands = operands

return M

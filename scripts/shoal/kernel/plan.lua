-- From nodes to programs: a list of operations and stores, cut where ORC's limits are reached.
local need = ...
local sorted = need("sorted")

---@class engine.Item a step of a program: an operation or a store
---@field node? engine.Node
---@field store? engine.Write
---@field value? engine.Node what is stored

---@class engine.Segment items[from..to] as one program
---@field from integer
---@field to integer
---@field stores engine.Write[]
---@field stored table<string, boolean> keys of the columns that it writes
---@field columns string[] keys of the columns that it reads
---@field inputs engine.Node[] results of earlier programs
---@field outputs engine.Node[] results for later ones
---@field constants engine.Node[]

---@class engine.kernel_plan
local M = {}

-- ORC 0.4.33 adds instructions and variables of its own when it compiles, and does not look whether there is room for
-- them: 100 instructions and 64 variables are all it has (ORC_N_INSNS; ORC_N_COMPILER_VARIABLES without the 32 of the
-- program). Beyond them it writes over its own memory.
local MOST_INSTRUCTIONS, MOST_VARIABLES, MOST_TEMPORARIES = 90, 60, 16
local MOST_ALIVE = 8 -- results that wait for their use: what ORC has registers for
local MOST_PROGRAMS, MOST_SLOTS = 64, 256 -- as in engine/script/kernel.c

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

-- The first of the writes whose old value no other one reads; nil when they wait for one another.
local function free_write(left, emitted)
  for i, write in ipairs(left) do
    local wanted = false
    for k, other in ipairs(left) do
      wanted = wanted or (k ~= i and reads_column(other.value, write.key, emitted))
    end
    if not wanted then
      return i
    end
  end
end

-- Stores go as early as the old value is no longer needed; those that wait for one another go last.
local function linear(trace)
  local items, emitted, left = {}, {}, { unpack(trace.writes) }
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
    local chosen = free_write(left, emitted)
    local ready = chosen and { table.remove(left, chosen) } or left
    for _, write in ipairs(ready) do
      emit(write)
    end
    for _, write in ipairs(ready) do
      store(write)
    end
    left = chosen and left or {}
  end
  return items
end

---@param item engine.Item
---@return engine.Node[]
local function operands(item)
  if item.store then
    return { item.value }
  end
  local a, b = item.node.a, item.node.b
  return { a or b or nil, a and b or nil }
end

-- Temporaries as kernel.lua's pool has them, by their size: → take(bytes), give(bytes), and how many there are at most.
local function temporaries()
  local free, count = {}, 0
  local function take(bytes)
    if (free[bytes] or 0) > 0 then
      free[bytes] = free[bytes] - 1
    else
      count = count + 1
    end
  end
  local function give(bytes)
    free[bytes] = (free[bytes] or 0) + 1
  end
  return take, give, function() return count end
end

-- What ORC makes of items[from..to]: an operand in an array is loaded each time, a constant once, a result in an
-- array is stored; each of them, and each result, is a variable. `outputs` are the results for later programs: what
-- they cost comes on top, for with a larger `to` they may be fewer.
local function size_of(items, from, to, last_use)
  local defined, loaded = {}, {}
  local take, give, taken = temporaries()
  local size = { instructions = 0, variables = 0, temporaries = 0, alive = 0, outputs = 0 }
  local alive = 0
  local function add(instructions, variables)
    size.instructions, size.variables = size.instructions + instructions, size.variables + variables
  end
  for i = from, to do
    local item = items[i]
    for _, node in pairs(operands(item)) do
      local known = defined[node] or loaded[node]
      loaded[node] = node.op == "const" or node.op == "dt" or nil
      if not known then
        add(1, 1)
      end
    end
    if item.node then
      take(item.node.bytes)
      alive = alive + 1
      defined[item.node] = true
      add(1, 1)
    end
    if item.store then
      add(2, 1)
    elseif last_use[item.node] > to then
      size.outputs = size.outputs + 1
    end
    for _, node in pairs(operands(item)) do
      if defined[node] and last_use[node] == i then
        defined[node], alive = nil, alive - 1
        give(node.bytes)
      end
    end
    size.alive = math.max(size.alive, alive)
  end
  size.temporaries = taken()
  return size
end

-- What items[from..to] store and take from elsewhere; → also the columns by key.
local function collect(items, from, to)
  local stored, defined, columns, inputs, constants = {}, {}, {}, {}, {}
  local out = { stores = {}, columns = {}, inputs = {}, outputs = {}, constants = {} }
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
    end
    if item.node then
      defined[item.node] = true
    end
  end
  out.stored = stored
  return out, columns
end

-- What items[from..to] would be as one program.
local function segment(items, from, to, last_use)
  local out, columns = collect(items, from, to)
  for i = from, to do
    local node = items[i].node
    if node and last_use[node] > to then
      out.outputs[#out.outputs + 1] = node
    end
  end
  local sources = #out.inputs
  for _, key in ipairs(sorted(columns)) do
    if not out.stored[key] then
      sources = sources + 1
    end
    out.columns[#out.columns + 1] = key
  end
  local size = size_of(items, from, to, last_use)
  -- What grows with `to` alone: beyond it no larger segment fits.
  out.full = #out.inputs > 8 or #out.stores > 4 or #out.constants > 8 or size.alive > MOST_ALIVE
    or size.temporaries > MOST_TEMPORARIES or size.instructions > MOST_INSTRUCTIONS or size.variables > MOST_VARIABLES
  out.fits = not out.full and sources <= 8 and #out.stores + #out.outputs <= 4 and sources + size.alive <= 14
    and size.instructions + 2 * size.outputs <= MOST_INSTRUCTIONS and size.variables + size.outputs <= MOST_VARIABLES
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
      elseif candidate.full then
        break
      end
    end
    best = best or { to = from, candidate = segment(items, from, from, last_use) }
    best.candidate.from, best.candidate.to = from, best.to
    segments[#segments + 1] = best.candidate
    from = best.to + 1
  end
  return segments, last_use
end

local function slot_count(trace, segments)
  local count = #sorted(trace.columns)
  for _, part in ipairs(segments) do
    count = count + #part.outputs
  end
  return count
end

-- trace (trace.lua) → items, segments (each { from, to, stores, columns, inputs, outputs, constants }), last use of
-- each node, and whether a kernel has room for them.
---@param trace engine.Trace
---@return engine.Item[] items
---@return engine.Segment[] segments
---@return table<engine.Node, integer> last_use
---@return boolean fits
function M.plan(trace)
  local items = linear(trace)
  local segments, last_use = cut(items)
  return items, segments, last_use, #segments <= MOST_PROGRAMS and slot_count(trace, segments) <= MOST_SLOTS
end

M.operands = operands

return M

-- Finds loops that access components of other entities through their handles, such as `target[i].health.hp`, for
-- --explain. In LuaJIT, each access looks up the entity's row and then the value, so it may wait twice for memory.
-- Columns from world.lookup, obtained once before the loop, take a fraction of the time. A loop that writes to the
-- entities in a list is not compiled; a system over these entities, which refer to the owner of the list, is.
local need = ...
local bytecode = need("compile/bytecode")
local compile = need("compile/compile")
local few_rows = need("compile/few_rows")
local components = need("schema/component")
local util = require("jit.util")

---@class engine.handle_reads
local M = {}

-- Minimum number of rows in the queries of a system that is not slow: few accesses are not worth a different form.
local MIN_ROWS = 256

-- Symbolic values of slots. "view": the first parameter of `update`, or one of its queries. "rows": the entities of a
-- query. "own": the entity of `each`. "other": an entity from a column. Tables: a component of an entity, { component,
-- is_other, list }, where `list` names the list that contains the entity; a list of entities, { list_name }; and an
-- entity from such a list, { element_of }.
local VIEW, ROWS, OWN, OTHER = "view", "rows", "own", "other"

local function find_field(component, name)
  for _, item in ipairs(component.writable) do
    if item.field and (item.field.name == name or item.field.base == name) then
      return item.field
    end
  end
end

-- Returns the ranges of instructions that a function repeats.
local function list_loops(fn)
  local ranges = {}
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local op, _, _, _, d = bytecode.read_instruction(fn, pc)
    local target = pc + 1 + d - 0x8000
    if op == "FORI" or op == "JFORI" or op == "ISNEXT" or op == "JMP" and target < pc then
      ranges[#ranges + 1] = { math.min(pc, target), math.max(pc, target) }
    elseif op == "JMP" and target < util.funcinfo(fn).bytecodes
      and bytecode.read_opcode(fn, target):find("^ITER[CN]$") then
      ranges[#ranges + 1] = { pc, target }
    end
  end
  return ranges
end

local function is_in_loop(ranges, pc)
  for _, range in ipairs(ranges) do
    if pc >= range[1] and pc <= range[2] then
      return true
    end
  end
  return false
end

-- Returns the symbolic value of the member `key` of a value, or nil if the member has no symbolic value.
local function read_member(system, v, key)
  local component = components.by_name[key]
  if v == VIEW then
    return key == "entity" and ROWS or system.queries[key] and VIEW or nil
  end
  local is_element = type(v) == "table" and v.element_of ~= nil
  if (v == OWN or v == OTHER or is_element) and component and component.kind == "component" then
    return { component = component, is_other = v ~= OWN, list = is_element and v.element_of or nil }
  elseif type(v) == "table" and v.component then
    local field, list = find_field(v.component, key), v.component.lists[key]
    return field and field.type == "entity" and not field.list and OTHER
      or list and list.type == "entity" and { list_name = v.component.name .. "." .. key } or nil
  end
end

-- Adds the accesses in a function to `found`, in the order of their lines. `parameter`: symbolic value of its first
-- parameter. `is_row`: the function runs once for each row. Branches are ignored: every instruction is assumed to
-- follow the previous one.
local function add_accesses(system, fn, parameter, is_row, found)
  local slots, ranges = { [0] = parameter }, list_loops(fn)
  for pc = 1, util.funcinfo(fn).bytecodes - 1 do
    local op, a, b, c, d = bytecode.read_instruction(fn, pc)
    local key = (op == "TGETS" or op == "TSETS") and util.funck(fn, -1 - c) or nil
    local v = key and slots[b]
    if type(v) == "table" and v.is_other and find_field(v.component, key) and (is_row or is_in_loop(ranges, pc)) then
      found[#found + 1] = { component = v.component.name, field = key, line = util.funcinfo(fn, pc).currentline,
        list = op == "TSETS" and v.list or nil }
    end
    local result = nil
    if op == "TGETS" then
      result = read_member(system, v, key)
    elseif op == "TGETV" and slots[b] ~= ROWS then
      local list_name = type(slots[b]) == "table" and slots[b].list_name
      result = list_name and { element_of = list_name } or OTHER
    elseif op == "MOV" then
      result = slots[d]
    end
    for slot in pairs(slots) do -- the order does not matter: each slot is checked independently
      if slot ~= a and bytecode.writes(fn, pc, slot) then
        slots[slot] = nil
      end
    end
    if bytecode.writes(fn, pc, a) then
      slots[a] = result
    end
  end
end

-- Returns the line for a loop that writes to the entities in a list, or nil if no access in `found` is such a write.
local function format_writes_to_list(system, found)
  local writes, listed, name, list_name = {}, {}, nil, nil
  for _, item in ipairs(found) do
    local write = item.list and ("%s.%s (%s:%d)"):format(item.component, item.field, system.at.file, item.line)
    if write and not listed[write] then
      writes[#writes + 1], listed[write] = write, true
      name, list_name = name or item.component, list_name or item.list
    end
  end
  local format = "handles: %s (%s): writes %s of the entities in %s, in LuaJIT: let each of them refer to the owner of "
    .. "the list, and write in a system over { %q }\n"
  return name and format:format(system.name, system.at.file, table.concat(writes, ", "), list_name, name) or nil
end

local function format_line(system, found)
  local line = format_writes_to_list(system, found)
  if line then
    return line
  end
  local accesses, listed, names, name_listed = {}, {}, {}, {}
  for _, item in ipairs(found) do
    local access = ("%s.%s (%s:%d)"):format(item.component, item.field, system.at.file, item.line)
    accesses[#accesses + 1], listed[access] = not listed[access] and access or nil, true
    local name = ("world.lookup(%q)"):format(item.component)
    names[#names + 1], name_listed[name] = not name_listed[name] and name or nil, true
  end
  local fix = system.declaration.each and "use update, with %s once before its loop" or "use %s once before the loop"
  return ("handles: %s (%s): accesses %s through handles of other entities, in LuaJIT: %s\n"):format(system.name,
    system.at.file, table.concat(accesses, ", "), fix:format(table.concat(names, ", ")))
end

-- Returns a line for each of the systems called `name` ("all": every system of the game) that LuaJIT runs, and that
-- accesses components of other entities in a loop over many rows.
---@param systems engine.System[]
---@param name string
---@return string
function M.explain(systems, name)
  local lines = {}
  for _, system in ipairs(systems) do
    local declaration, rows, found = system.declaration, 0, {}
    for _, record in ipairs(system.records) do
      rows = math.max(rows, record.query.count)
    end
    local is_named = system.name == name or name == "all" and not system.at.file:find("^%[shoal%]")
    local is_worthwhile = rows >= MIN_ROWS or few_rows.is_slow(system.row_limit)
    if is_named and is_worthwhile and bytecode.is_known and not compile.runs_natively(system.name) then
      if declaration.update then add_accesses(system, declaration.update, VIEW, false, found) end
      if declaration.each then add_accesses(system, declaration.each, OWN, true, found) end
    end
    lines[#lines + 1] = #found > 0 and format_line(system, found) or nil
  end
  return table.concat(lines)
end

return M

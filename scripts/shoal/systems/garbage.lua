-- Explains which systems create garbage in Lua, and which of their instructions may create it, for --explain. The
-- garbage collector's work for a row often takes longer than the row itself.
local need = ...
local abi = need("base/abi")
local bytecode = need("compile/bytecode")
local util = require("jit.util")
local C = abi.C

---@class engine.garbage
local M = {}

local MIN_BYTES = 16   -- minimum number of bytes per run to report
local MAX_CAUSES = 4   -- maximum number of causes to list
local MAX_DEPTH = 3 -- maximum depth of nested calls that are searched

-- Instructions that allocate, and what they create.
local CREATED = { TNEW = "a table", TDUP = "a table", FNEW = "a function", CAT = "a string" }

-- Library and engine functions that allocate, and what they create.
local CREATED_BY = {}
for created, names in pairs {
  ["a string"] = "char concat format gsub lower rep sub tostring upper",
  ["a list"] = "box children each near nearest_many sql targets who_targets",
  ["a vector"] = "mat4 quat vec2 vec3 vec4",
  ["a table"] = "describe spawn",
} do
  for name in names:gmatch("%S+") do
    CREATED_BY[name] = created
  end
end

-- Returns what the instruction at `pc` creates: "a string (format)"; nil if it creates nothing.
local function find_created(fn, pc)
  local op, _, _, c, d = bytecode.read_instruction(fn, pc)
  if CREATED[op] then
    return CREATED[op]
  end
  local name = op == "GGET" and util.funck(fn, -d - 1) or op == "TGETS" and util.funck(fn, -c - 1)
  return CREATED_BY[name] and ("%s (%s)"):format(CREATED_BY[name], name)
end

local add_causes ---@type fun(causes: table, fn: function, depth: integer)

-- Adds the causes of garbage in the game's functions that are upvalues of `fn`.
local function add_callees(causes, fn, depth)
  for i = 1, type(fn) == "function" and debug.getinfo(fn, "u").nups or 0 do
    local _, v = debug.getupvalue(fn, i)
    if type(v) == "function" and not debug.getinfo(v, "S").source:find("^@%[shoal%]") then
      add_causes(causes, v, depth + 1)
    end
  end
end

function add_causes(causes, fn, depth)
  local info = util.funcinfo(fn)
  if not info.bytecodes or causes.visited[fn] or depth > MAX_DEPTH then
    return
  end
  causes.visited[fn] = true
  for pc = 1, info.bytecodes - 1 do
    local created = find_created(fn, pc)
    local text = created and ("%s (%s:%d)"):format(created, info.source:gsub("^@", ""),
      util.funcinfo(fn, pc).currentline)
    if text and not causes.listed[text] then
      causes.listed[text] = true
      causes[#causes + 1] = text
    end
  end
  add_callees(causes, fn, depth)
end

-- Returns the instructions of a system that may create garbage, or the reason why it is created without any.
local function describe_causes(system)
  local declaration, causes = system.declaration, { visited = {}, listed = {} }
  for _, part in ipairs { "update", "each", "enter", "leave", "changed" } do
    if declaration[part] and bytecode.is_known then
      add_causes(causes, declaration[part], 1)
    end
  end
  for _, item in ipairs(system.readers) do
    add_causes(causes, item.handler, 1)
  end
  if #causes == 0 then
    return "no line creates a table or a string: LuaJIT has not compiled all of its rows yet"
  end
  local rest = #causes - MAX_CAUSES
  return table.concat(causes, ", ", 1, math.min(#causes, MAX_CAUSES)) .. (rest > 0 and (", %d more"):format(rest) or "")
end

-- Returns a line for each of the systems called `name` ("all": every system of the game) that creates garbage.
---@param systems engine.System[]
---@param name string
---@return string
function M.explain(systems, name)
  local lines = {}
  for number, system in ipairs(systems) do
    local is_named = system.name == name or name == "all" and not system.at.file:find("^%[shoal%]")
    local bytes = is_named and C.vm_garbage_per_run(abi.vm, number) or 0
    if bytes >= MIN_BYTES then
      local rows = 0
      for _, record in ipairs(system.records) do
        rows = rows + record.query.count
      end
      lines[#lines + 1] = ("garbage: %s (%s): %.0f bytes a run%s: %s\n"):format(system.name, system.at.file, bytes,
        rows > 0 and (", %.1f a row"):format(bytes / rows) or "", describe_causes(system))
    end
  end
  return table.concat(lines)
end

return M

-- Prevents state outside the world. After a game's files have been loaded, all values that their functions can still
-- reach are checked. It is an error if a function assigns to a local declared outside of it, if a function stores into
-- a table held by such a local (luajit/bytecode.h), or if a coroutine or an iterator is reachable. Error messages name
-- the line. Then the reachable tables are frozen: adding a key is an error, and changed values are reported in
-- development runs (design/0017).
local need, native = ...
local cache = need("base/cache")
local report = need("base/report")
local state = need("base/vm_state")

---@class engine.hidden_state
---@field is_constant table<table, boolean>
local M = {}

local paths, files = {}, {} -- path and file of each frozen table
local frozen_tables = {}      -- the frozen tables in the order of freezing, for M.find_changed_table
M.is_constant = cache.is_constant -- frozen tables without a metatable of their own: reading them runs no script code
local iterators = {} -- iterators of the engine that keep a position: pairs(t), ("a b"):gmatch("%a")
local visited = {}      -- visited functions and tables

local REASON = "values outside the world are not rewound, saved or replayed"
local FIX = "keep the value in a component's field or in a singleton (world.single.NAME.FIELD)"

local function format_cache_hint(name)
  return string.format("if its values can be recomputed, use local %s = shoal.cache(function() return {} end)",
    name:match("^[%a_][%w_]*$") or "paths")
end

-- Describes a value for messages. `path` begins with a local of `file`; an empty path stands for the file's return
-- value.
local function describe_value(path, file)
  return path == "" and "that " .. file .. " returns" or path .. " of " .. file
end

local function describe_table(t)
  return string.format("the table %s was created while files were loaded and is now read-only: %s; %s; %s",
    describe_value(paths[t], files[t]), REASON, FIX, format_cache_hint(paths[t]))
end

local FROZEN = {
  __newindex = function(t)
    report.raise("%s", describe_table(t))
  end,
  __metatable = false,
}

-- Throws if a table is frozen or belongs to the engine. Must be called before a library function that bypasses
-- metatables changes the table.
---@param t any
---@param function_name string name of the library function, for the message: "rawset"
function M.reject_frozen_table(t, function_name)
  if type(t) ~= "table" or getmetatable(t) ~= false then
    return
  elseif paths[t] then
    report.raise("%s: %s", function_name, describe_table(t))
  end
  report.raise("%s: this table belongs to the engine and is read-only: copy its values into a table of your own",
    function_name)
end

-- Registers an iterator if files are being loaded, because a file might keep the iterator. Returns the iterator.
---@param f function
---@return function f
function M.register_iterator(f)
  if state.loading then
    iterators[f] = true
  end
  return f
end

-- --- reporting

local function get_piece(file)
  local system, behaviour = file:match("^systems/(.*)%.lua$"), file:match("^behaviours/.-([^/]+)%.lua$")
  return system and "system " .. system or behaviour and "behaviour " .. behaviour or file
end

local problems = {}

local function add_problem(file, line, fmt, ...)
  problems[#problems + 1] = { file = file, line = line, piece = get_piece(file), message = string.format(fmt, ...) }
end

local function is_before(a, b)
  if a.file ~= b.file then
    return a.file < b.file
  end
  return a.line < b.line or a.line == b.line and a.message < b.message
end

local function get_file(f)
  return (debug.getinfo(f, "S").source:gsub("^[@=]", ""))
end

-- Returns the line that declares the local with which a path begins, or the line of `return` if the path is empty.
local function find_line(path, file)
  local text = native.source(file)
  return text and report.find_line(text, path:match("[%a_][%w_]*") or "return") or 1
end

local modules = {} -- set of the files that scripts have required

-- Records the error about a function that writes to a local declared outside of it. A store into a table of a required
-- module is not an error here, because a library may contain a function that fills a cache and that the game never
-- calls. Such a store raises an error when it is executed.
local function refuse_write(f, write, value)
  local file = get_file(f)
  if not write.stores then
    add_problem(file, write.line,
      "the local %s is declared outside the function that writes it and outlives the tick: %s; "
      .. "%s; %s", write.name, REASON, FIX, format_cache_hint(write.name))
  elseif modules[file] == nil and paths[value] and debug.getmetatable(value) == FROZEN then
    add_problem(file, write.line, "%s", describe_table(value))
  end
end

-- --- traversal

local queue -- list of { value, path, file }

local function enqueue(v, path, file)
  local kind = type(v)
  if (kind == "table" or kind == "function" or kind == "thread") and not visited[v] then
    visited[v] = true
    queue[#queue + 1] = { v, path, file }
  end
end

local function visit_function(f, path, file, writes)
  if iterators[f] then
    add_problem(file, find_line(path, file), "%s is an iterator or a coroutine that would outlive the tick: %s; create "
      .. "it in the function that uses it", describe_value(path, file), REASON)
    return
  end
  local info = debug.getinfo(f, "Su")
  if info.what == "C" or info.source:find("^@%[shoal%]") then
    return
  end
  local function_file = get_file(f)
  for i = 1, info.nups do
    local upvalue, v = debug.getupvalue(f, i)
    enqueue(v, upvalue, function_file)
  end
  enqueue(debug.getfenv(f), "environment", function_file)
  local outer_writes = native.writes(f)
  if outer_writes then
    writes[#writes + 1] = { f, outer_writes }
  end
end

-- Visits the fields of a table: string keys first, sorted, so that a table reachable in several ways gets the same name
-- in every run.
local function visit_fields(t, path, file)
  local names = {}
  for key, v in next, t do
    if type(key) == "string" then
      names[#names + 1] = key
    else
      enqueue(v, path .. "[…]", file)
      enqueue(key, path, file)
    end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    enqueue(rawget(t, name), path == "" and name or path .. "." .. name, file)
  end
end

local function visit_table(t, path, file)
  local metatable = debug.getmetatable(t)
  if cache.is[t] then
    enqueue(cache.is[t].build, path, file)
    return
  elseif metatable and rawget(metatable, "__metatable") == false then -- the engine's own objects are not visited
    return
  end
  visit_fields(t, path, file)
  if metatable then
    enqueue(metatable, path == "" and "metatable" or path .. "’s metatable", file)
  else
    setmetatable(t, FROZEN)
    M.is_constant[t] = true
  end
  paths[t], files[t] = path, file
  frozen_tables[#frozen_tables + 1] = t
end

local function visit_all(writes)
  local index = 0
  while index < #queue do
    index = index + 1
    local v, path, file = unpack(queue[index])
    if type(v) == "function" then
      visit_function(v, path, file, writes)
    elseif type(v) == "table" then
      visit_table(v, path, file)
    else
      add_problem(file, find_line(path, file), "%s is a coroutine, which cannot outlive its tick: %s; %s",
        describe_value(path, file), REASON, FIX)
    end
  end
end

-- Checks everything reachable from `roots`, a list of { value, file, path? }, and freezes its tables. If there are
-- errors, throws the first one in order of file and line.
---@param roots any[][]
---@param required table<string, any> the results of the modules that scripts have required, by file
function M.check_and_freeze(roots, required)
  local writes = {}
  modules = required
  queue = {}
  for _, root in ipairs(roots) do
    enqueue(root[1], root[3] or "", root[2])
  end
  visit_all(writes)
  for _, item in ipairs(writes) do
    for _, write in ipairs(item[2]) do
      local _, value = debug.getupvalue(item[1], write.upvalue)
      refuse_write(item[1], write, value)
    end
  end
  queue = nil
  if #problems > 0 then
    local errors = problems
    problems = {}
    table.sort(errors, is_before)
    report.fail(errors[1])
  end
  if native.check_tables then
    M.copy_tables()
  end
end

-- --- changed values, in development runs

local copies = {}     -- copies of the tables in `frozen_tables`, for comparison in M.find_changed_table
local reported = {}   -- changed tables that M.find_changed_table has reported: table → its copy

-- Registers a list that the engine shares between scripts and that must not change.
---@param t table
---@param label string name of the list in messages
function M.freeze_shared_list(t, label)
  paths[t], files[t] = label, "assets"
  if native.check_tables then
    frozen_tables[#frozen_tables + 1] = t
    M.copy_tables()
  end
end

local function copy(t)
  local out = {}
  for key, v in next, t do
    out[key] = v
  end
  return out
end

function M.copy_tables()
  for i = #copies + 1, #frozen_tables do
    copies[i] = copy(frozen_tables[i])
  end
end

local function find_difference(current, original)
  for key, v in next, current do
    if not rawequal(v, original[key]) then
      return key
    end
  end
  for key in next, original do
    if rawget(current, key) == nil then
      return key
    end
  end
end

-- Finds the first table that has changed since loading ended. Returns a description of the change and the table's file,
-- or nil if no table has changed. Each table is reported once, unless M.restore_tables restores it.
---@return string? text
---@return string? file
function M.find_changed_table()
  for i, t in ipairs(frozen_tables) do
    local key = find_difference(t, copies[i])
    if key ~= nil then
      reported[t] = copies[i]
      table.remove(frozen_tables, i)
      table.remove(copies, i)
      return string.format("%s of %s", type(key) == "number" and "element " .. key or report.show(key),
        describe_table(t)), files[t]
    end
  end
end

-- Restores the tables that M.find_changed_table reported, so that they can be reported again.
function M.restore_tables()
  for t, original in next, reported do
    for key in next, t do
      rawset(t, key, original[key])
    end
    for key, v in next, original do
      rawset(t, key, v)
    end
    frozen_tables[#frozen_tables + 1], copies[#copies + 1] = t, original
  end
  reported = {}
end

return M

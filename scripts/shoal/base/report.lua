-- Errors with a file and line. `fail` throws a table that script/report.c reads. The values in a table that a file
-- returns have no line information, so the line of a value is found in the source text.
local need, native = ... -- luacheck: ignore 211
---@class engine.Failure
---@field message string
---@field file? string
---@field line? integer 0 for the file as a whole
---@field piece? string part of the game that the error stops: "system movement"

---@class engine.At location of a declaration
---@field file string relative to the game's folder
---@field text string contents of the file; "" for a declaration of the engine
---@field addon? engine.Addon|false the add-on to which the file belongs; false: the game
---@field positions? engine.Positions|false the result of M.get_positions; nil before its first call
---@field of_field? fun(name: any): engine.At? returns the location of a field that is declared in another file

---@class engine.Positions lines of a table constructor in a file (native.positions) and of its elements by key
---@field line integer
---@field [integer|string] engine.Positions|integer

---@class engine.report
local M = {}

-- Throws an engine.Failure. Only `message` is required: if `file` and `line` are missing, C reads them from the stack.
---@param fields engine.Failure
function M.fail(fields)
  error(fields, 0)
end

-- A NaN that prints as "nan": the sign of a calculated NaN depends on the processor.
M.NAN = 0 / 0
if tostring(M.NAN) ~= "nan" then
  M.NAN = -M.NAN
end

-- Converts a value to a string that is the same in every run, without the addresses of tables or functions.
---@param v any
---@return string
function M.show(v)
  local kind = type(v)
  if kind == "number" and v ~= v then
    return "nan"
  end
  local meta = kind == "table" and getmetatable(v)
  if kind == "table" and (type(meta) ~= "table" or not meta.__tostring) then
    return "table"
  elseif kind == "function" or kind == "thread" then
    return kind
  end
  local text = tostring(v)
  if type(text) ~= "string" then -- a script's __tostring may return anything
    return kind
  end
  return kind == "cdata" and text:find("^cdata<") and "cdata" or text
end

local MAX_SHOWN = 60 -- maximum number of bytes of a string that a message shows

-- Describes an unexpected value, for messages that end with "got …": 3, true, nil, text "abc", a table, a function,
-- entity(1:0 ship).
---@param v any
---@return string
function M.describe(v)
  local kind = type(v)
  if kind == "table" or kind == "function" then -- the metatable of a table may run script code
    return "a " .. kind
  elseif kind == "string" then
    return #v > MAX_SHOWN and ("text \"%s…\""):format((v:sub(1, MAX_SHOWN):gsub("[\128-\255]+$", "")))
      or ("text \"%s\""):format(v)
  end
  return kind == "thread" and "a coroutine" or M.show(v)
end

-- Normalizes an error that a script caught, by removing the numbers of column types: LuaJIT assigns them in a different
-- order in every run.
---@param problem any
---@return any problem
function M.remove_type_numbers(problem)
  if type(problem) == "string" and problem:find("'struct %d") then
    return (problem:gsub("'struct %d+'", "a column"))
  end
  return problem
end

-- Formats a message like string.format, after converting the arguments with M.show.
---@param text string
---@param ... any
---@return string
function M.format(text, ...)
  local count, arguments = select("#", ...), { ... }
  if count == 0 then
    return text
  end
  for i = 1, count do
    local kind = type(arguments[i])
    if kind ~= "number" and kind ~= "string" and kind ~= "boolean" and kind ~= "nil" then
      arguments[i] = M.show(arguments[i])
    elseif arguments[i] ~= arguments[i] then
      arguments[i] = M.NAN
    end
  end
  return string.format(text, unpack(arguments, 1, count))
end

M.tables = {} -- tables whose functions scripts call with a dot: table → its name (world, draw, …)

-- Returns a hint for the end of a message if a function was called with a colon instead of a dot, otherwise "".
-- Example: draw:circle(1, 2, 3) passes draw itself as x.
local function describe_colon_call()
  local text = ""
  for level = 3, 7 do
    local frame = debug.getinfo(level, "nu")
    if not frame then
      break
    end
    local name, first_argument = debug.getlocal(level, 1)
    local table_name = frame.nparams > 0 and name ~= "_" and M.tables[first_argument]
    if table_name and frame.name then -- a later match replaces an earlier one: the script called the outermost function
      text = string.format(": call it with a dot, %s.%s(…), not with a colon", table_name, frame.name)
    end
  end
  return text
end

-- Throws an error of the calling script as a plain string, so that the script's own pcall can read it. C finds the line
-- in the game's file on the stack.
---@param text string
---@param ... any
function M.raise(text, ...)
  error(M.format(text, ...) .. describe_colon_call(), 0)
end

-- Message handler: prefixes an error with its file and line in the game while the stack still exists, for callers that
-- rethrow it.
---@param problem any
---@return any problem with "file:line: " in front if it is a string without a location
function M.add_location(problem)
  if type(problem) ~= "string" or problem:find("^[^\n:]+:%d+:") then
    return problem
  end
  for level = 2, 40 do
    local frame = debug.getinfo(level, "Sl")
    if not frame then
      break
    elseif frame.source:find("^@") and not frame.source:find("^@%[shoal%]") and frame.currentline > 0 then
      return frame.source:sub(2) .. ":" .. frame.currentline .. ": " .. problem
    end
  end
  return problem
end

-- Splits an error message of the Lua compiler into its text and line. On a syntax error, the location is in the message
-- only, not on the stack.
---@param problem string for example "systems/a.lua:3: '=' expected near 'x'"
---@return string text
---@return integer line 0 if the message contains no line
function M.split_syntax_error(problem)
  local line, text = problem:match(":(%d+): (.*)$")
  return text or problem, tonumber(line) or 0
end

local function escape_pattern(name)
  return (tostring(name):gsub("%p", "%%%0"))
end

-- Message handler. Converts a string error to an engine.Failure, with the current line of `file` and without a location
-- in the message. The line comes from the stack. A rethrown error has lost its stack, so its line comes from the start
-- of the message, where M.add_location put it. Other error values are returned unchanged.
---@param problem any
---@param file string
---@return any problem
function M.to_failure(problem, file)
  if type(problem) ~= "string" then
    return problem
  end
  local failure = { message = problem }
  for level = 2, 60 do
    local frame = debug.getinfo(level, "Sl")
    if not frame then
      break
    end
    local location = frame.short_src .. ":" .. frame.currentline .. ": "
    if failure.message == problem and problem:sub(1, #location) == location then
      failure.message = problem:sub(#location + 1)
    end
    failure.line = failure.line or frame.source == "@" .. file and frame.currentline or nil
  end
  local line, text = failure.message:match("^" .. escape_pattern(file) .. ":(%d+): (.*)$")
  if line and not failure.line then
    failure.line, failure.message = tonumber(line), text
  end
  return failure
end

-- Returns the message of an error.
---@param problem any a string, an engine.Failure, or a value of any type that a script has thrown
---@return string
function M.get_message(problem)
  if type(problem) == "table" and type(rawget(problem, "message")) == "string" then
    return problem.message
  end
  return type(problem) == "string" and problem
    or "the error value must be a string, got a " .. type(problem) .. ": use error(\"text\")"
end

local find, sub = string.find, string.sub -- used directly, because s:find() calls the slower function for scripts

-- Returns the position at which a quoted name begins: the position of the bracket if the name is a key such as
-- ["name"], otherwise `quote`, the position of the quote.
local function find_key_start(text, quote, name_end, start)
  if find(text, "^%s*%]%s*=", name_end + 2) then
    local position = quote - 1
    while position >= start and find(text, "^%s", position) do
      position = position - 1
    end
    return position >= start and sub(text, position, position) == "[" and position or quote
  end
  return quote
end

-- Returns the position of a name that is used as a key or a quoted string, at or after `start`; nil if not found.
-- Called hundreds of times at startup, so it searches for plain text first and then checks the surroundings.
local function find_name(text, name, start)
  local position = start
  while name ~= "" do
    local name_start, name_end = find(text, name, position, true)
    if not name_start then
      return nil
    elseif name_start > start and find(text, "^[\"']", name_start - 1) and find(text, "^[\"']", name_end + 1) then
      return find_key_start(text, name_start - 1, name_end, start)
    elseif find(text, "^[%w_]", name_start) and not (name_start > 1 and find(text, "^[%w_]", name_start - 1))
      and find(text, "^%s*=[^=]", name_end + 1) then
      return name_start
    end
    position = name_start + 1
  end
end

-- Finds `names` in the text, in this order, as keys or quoted strings: find_line(text, "tank", "components", "gun").
-- Returns the line of the last name. If a name is missing, returns the line of the name before it, or 1 if the first
-- name is missing.
---@param text string
---@param ... any names
---@return integer line 1-based
function M.find_line(text, ...)
  local position, line = 1, 1
  for i = 1, select("#", ...) do
    local name = tostring((select(i, ...)))
    local plain_name = name:match("%.([^.]+)$") -- "menu.cursor" of an add-on is `cursor` in its files
    local name_position = find_name(text, name, position) or plain_name and find_name(text, plain_name, position)
    if not name_position then
      break
    end
    position = name_position
  end
  local newline = find(text, "\n", 1, true)
  while newline and newline <= position do
    line, newline = line + 1, find(text, "\n", newline + 1, true)
  end
  return line
end

-- Returns the lines of the values in the table constructor that a file returns (native.positions), or nil if the file
-- returns something else.
---@param at engine.At
---@return engine.Positions?
function M.get_positions(at)
  if at.positions == nil then
    at.positions = native.positions(at.text) or false
  end
  return at.positions or nil
end

-- Returns the line of the first sibling that begins after `line`; `default` if there is no such sibling.
local function find_line_after(siblings, line, default)
  local nearest = default
  for key, position in pairs(siblings) do
    local line_begin = type(position) == "table" and key ~= 0 and position.line
    nearest = line_begin and line_begin > line and line_begin < nearest and line_begin or nearest
  end
  return nearest
end

local function has_keys(position)
  for key in pairs(position) do
    if key ~= "line" and key ~= 0 then
      return true
    end
  end
  return false
end

-- Returns the first line in [line, stop) that contains the name as a key or a quoted string; `line` if not found.
local function find_in_lines(source, name, line, stop)
  local offset = 1
  for _ = 2, line do
    offset = (find(source, "\n", offset, true) or #source) + 1
  end
  for line_number = line, stop < math.huge and stop - 1 or math.huge do
    local line_end = find(source, "\n", offset, true)
    if find_name(sub(source, offset, line_end or #source), name, 1) then
      return line_number
    elseif not line_end then
      break
    end
    offset = line_end + 1
  end
  return line
end

-- Follows these keys in the table that a file returns, and returns the line of the value. If a key is missing, returns
-- the line of the last value that was reached. If that value is not a table constructor, searches its lines for the
-- last key.
---@param at engine.At
---@param ... string|number keys from the root
---@return integer line 1-based
function M.find_line_of_path(at, ...)
  local position, stop, count = M.get_positions(at), math.huge, select("#", ...)
  if not position then
    return M.find_line(at.text, ...)
  end
  local line = position.line
  for i = 1, count do
    local key = select(i, ...)
    local child = position[key] or position[tonumber(key)]
    if type(child) ~= "table" then
      return has_keys(position) and line or find_in_lines(at.text, tostring((select(count, ...))), line, stop)
    end
    stop = find_line_after(position, child.line, stop)
    position, line = child, child.line
  end
  return line
end

-- Returns the keys of a table, or the elements of a list, as sorted strings. Omits the engine's own names, which begin
-- with "shoal.".
local function list_sorted_names(t)
  local out = {}
  for key, v in pairs(t) do
    local name = tostring(type(key) == "number" and v or key)
    if not name:find("^shoal%.") then
      out[#out + 1] = name
    end
  end
  table.sort(out)
  return out
end

-- Returns the names joined by commas, for messages that list the available names.
---@param t table
---@return string
function M.join_names(t)
  local out = list_sorted_names(t)
  return #out > 0 and table.concat(out, ", ") or "none"
end

-- Returns the key of `t` (or the element, if `t` is a list) closest to a name, or nil if none is similar.
---@param name any
---@param t table
---@return string?
function M.find_nearest(name, t)
  return type(name) == "string" and native.similar(name, list_sorted_names(t)) or nil
end

local MAX_LISTED_NAMES = 16 -- maximum number of names that a message lists if none is similar

-- Returns the hint that ends a message such as "unknown component helth": the closest name, or all names if there are
-- at most MAX_LISTED_NAMES.
---@param name any
---@param t table
---@return string text ": did you mean …?", "; available: …" or ""
function M.hint(name, t)
  local nearest = M.find_nearest(name, t)
  if nearest then
    return ": did you mean " .. nearest .. "?"
  end
  local names = list_sorted_names(t)
  return #names > 0 and #names <= MAX_LISTED_NAMES and "; available: " .. table.concat(names, ", ") or ""
end

-- Returns the closest name as a suggestion, for messages that continue with "; available: …".
---@param name any
---@param t table
---@return string text " (did you mean …?)" or ""
function M.suggest(name, t)
  local nearest = M.find_nearest(name, t)
  return nearest and " (did you mean " .. nearest .. "?)" or ""
end

return M

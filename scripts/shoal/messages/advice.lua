-- Finds common mistakes and suggests fixes: globals of other Lua programs and engines, syntax of other languages, names
-- that Shoal has removed, and `#` applied to a query.
local need, native = ...
local report = need("base/report")

---@class engine.advice
local M = {}

local NOTHING_WAITS = "scripts cannot wait: use a sequence, e:sequence(\"intro\") with a step { wait = 0.5 }, or "
  .. "count time in a component's field, or run a system with every = 60"

local ALTERNATIVES = {
  io = "scripts cannot open files: use print and log.info for output, world.save and world.load for saves",
  os = "use world.time, world.tick or dt for the time, and world.quit() to end the game",
  debug = "use print(e:describe()) or log.info",
  package = "use require \"folder.file\" to load a module from the game's folder",
  ffi = "use require \"ffi\", in a trusted game with native = true in game.lua",
  dofile = "use require \"folder.file\" to load a module from the game's folder",
  loadfile = "use require \"folder.file\" to load a module from the game's folder",
  module = "return a table from the module's file",
  setfenv = "the environment of a function cannot be changed",
  getfenv = "the environment of a function cannot be changed",
  table_unpack = "use table.unpack or unpack",
  null = "use `nil` in Lua",
  None = "use `nil` in Lua",
  undefined = "use `nil` in Lua",
  True = "use `true` in Lua",
  False = "use `false` in Lua",
  TRUE = "use `true` in Lua",
  FALSE = "use `false` in Lua",
  update = "write update with =: return { update = function(dt) … end }",
  each = "write each with =: return { query = { \"transform\" }, each = function(e, dt) … end }",
  this = "use `self`, the first argument of a behaviour's functions",
  love = "Shoal does not have LÖVE's functions: write a system, systems/NAME.lua: return { update = "
    .. "function(dt) … end }, and draw in a system in phase \"render\"",
  say = "write say with =, in a step of a sequence: { say = \"Hello\", who = \"Anna\" }",
  tween = "use a step of a sequence, { tween = \"transform.x\", to = 60, seconds = 1 }, or "
    .. "world.tween(e, \"transform.x\", 60, 1)",
  ui = "use components for widgets: { button = { text = \"Play\", emits = \"play\" } }, see ui.md",
  printf = "use print(…) or log.info(\"%d\", x)",
  sleep = NOTHING_WAITS,
  wait = NOTHING_WAITS,
  dt = "dt is the last argument of update = function(q, dt) and each = function(e, dt)",
  q = "q is the first argument of update = function(q, dt), in a system with a query",
  e = "e is the first argument of each = function(e, dt)",
  self = "self is the first argument of a behaviour's functions",
  entity = "use q.entity[i] for the entity of row i",
}

local TYPES = { single = true, many = true, enum = true, entity = true, vec2 = true, vec3 = true,
  vec4 = true, f32 = true, i32 = true, string = true }

-- Returns the hint that ends a message such as "unknown global io". `names`: the globals; `locals`: the set of names
-- that the file declares.
---@param name any
---@param names table<string, any>
---@param components table<string, any> by name
---@param locals? table<string, boolean>
---@return string
function M.find_global_hint(name, names, components, locals)
  local advice = ALTERNATIVES[name] or name:find("\226\128") and "use straight quotation marks for strings: \"text\""
  if advice then
    return ": " .. advice
  end
  local nearest = locals and report.find_nearest(name, locals) or report.find_nearest(name, names)
  if nearest and nearest ~= name then
    return ": did you mean " .. nearest .. "?"
  elseif nearest then
    return ": the local variable with this name is declared later or in a different block"
  end
  if components[name] then
    return string.format(": name components by a string, \"%s\"", name)
  elseif rawget(TYPES, name) then
    return string.format(": use shoal.types.%s", name)
  end
  local component = locals and report.find_nearest(name, components)
  if component then
    return string.format(": did you mean %s? Name components by a string, \"%s\"", component, component)
  end
  return ": keep lasting values in a component or a singleton, world.single.NAME; declare other variables with local"
end

-- --- syntax of other languages

-- Removed names, and for each the text of a load error that names the replacement.
local REMOVED = {
  { "world.changed", "world.changed was removed: give a system changed = function(e), or compare "
    .. "world.changes(name) with an earlier reading" },
  { "world.rewind", "world.rewind was removed: use world.restore(world.tick - 60), which returns to a "
    .. "tick in the history" },
  { "audio.music", "audio.music was removed: declare the file in music.lua, return { night = "
    .. "\"night.ogg\" }, and use music.play(\"night\")" },
}

-- Finds a removed name in a file's source. Returns its first line, and the text of its load error.
---@param source string
---@return integer? line
---@return string? text
function M.find_removed(source)
  for _, item in ipairs(REMOVED) do
    local name = item[1]
    local code = source:find(name, 1, true) and native.bare(source) or "" -- plain search first: patterns are slow
    local position = code:find("%f[%w_.]" .. name:gsub("%.", "%%.") .. "%f[^%w_]")
    if position then
      local _, lines = code:sub(1, position):gsub("\n", "")
      return lines + 1, item[2]
    end
  end
end

-- Assignments of degrees to a transform's angle, which is in radians.
local DEGREES = { "transform%.angle%s*=%s*math%.deg%s*%(", "transform%.angle%[[^%]\n]*%]%s*=%s*math%.deg%s*%(",
  "transform%s*=%s*{[^{}]*%f[%w_]angle%s*=%s*math%.deg%s*%(" }

-- Returns the lines that assign the result of math.deg to the angle of a transform.
---@param source string
---@return integer[] lines
function M.find_degrees(source)
  local lines, code = {}, source:find("math.deg", 1, true) and native.bare(source) or ""
  for _, pattern in ipairs(DEGREES) do
    for _, match_end in code:gmatch("()" .. pattern .. "()") do
      local _, line_breaks = code:sub(1, match_end):gsub("\n", "")
      lines[#lines + 1] = line_breaks + 1
    end
  end
  table.sort(lines)
  return lines
end

local ELSE_IF = "%f[%w_]else%s+if%f[^%w_]"
local NO_BRACES = "Lua has no braces around blocks: use function(e) … end, if x then … end"
local LOCAL = "declare a variable with `local`: local x = 1"
local FUNCTION = "write a function as function(e) … end"

-- Syntax of other languages: patterns, which are matched against a line without strings and comments, and the hint for
-- each. The first pattern that matches is used.
local FOREIGN = {
  { "\226\128[\152-\159]", "use straight quotation marks for strings: \"text\"" },
  { "\226\128[\147\148]", "use - for minus, not –" },
  { "\194\160", "replace the non-breaking space with a normal one" },
  { "%f[%w_]continue%f[^%w_]",
    "Lua has no `continue`: use goto continue with ::continue:: before the `end` of the loop" },
  { "%f[%w_]eli?f%f[^%w_]", "use `elseif` in Lua" },
  { "%f[%w_]elsif%f[^%w_]", "use `elseif` in Lua" },
  { "^%s*var%s+[%a_]", LOCAL },
  { "^%s*let%s+[%a_]", LOCAL },
  { "^%s*const%s+[%a_]", LOCAL },
  { "<%s*const%s*>", "this Lua has no <const>: use local x = 5" },
  { "<%s*close%s*>", "this Lua has no <close>: use local x = 5" },
  { "=>", FUNCTION },
  { "^%s*def%s+[%a_]", FUNCTION },
  { "^%s*func%s+[%a_]", FUNCTION },
  { "^%s*fn%s+[%a_]", FUNCTION },
  { "%)%s*{%s*$", NO_BRACES },
  { "%f[%w_]else%s*{", NO_BRACES },
  { "^%s*//", "start a comment with -- in Lua" },
  { "/%*", "start a comment with -- in Lua, or use --[[ … ]] for a long one" },
  { "//", "this Lua has no //: use math.floor(a / b)" },
  { "&&", "use `and` instead of && in Lua" },
  { "||", "use `or` instead of || in Lua" },
  { "&", "use bit.band(a, b) for bits, `and` for conditions" },
  { "|", "use bit.bor(a, b) for bits, `or` for conditions" },
  { "<<", "use bit.lshift(a, n)" },
  { ">>", "use bit.rshift(a, n)" },
  { "[%w_)]%s*~%s*[%w_(]", "use bit.bxor(a, b) for bits, ~= for \"not equal\"" },
  { "%?", "Lua has no ? : operator: use condition and a or b" },
  { "[%w_]%s*:%s*function%f[^%w_]", "write the fields of a table as name = value" },
  { "[{,]%s*\"\"%s*:", "write the fields of a table as name = value" },
  { "^%s*\"\"%s*:", "write the fields of a table as name = value" },
  { "^%s*import%f[^%w_]", "use require \"folder.file\" to load a module from the game's folder" },
  { "^%s*#include", "use require \"folder.file\" to load a module from the game's folder" },
  { "^%s*switch%f[^%w_]", "Lua has no `switch`: use if x == 1 then … elseif x == 2 then … end" },
  { "^%s*try%f[^%w_]", "Lua has no `try`: use local good, problem = pcall(function() … end)" },
  { "%f[%w_]new%s+[%a_]", "Lua has no `new`: use world.spawn to create an entity" },
}

-- Lines are cut to this length in bytes before they are searched: longer lines are usually generated code, and
-- searching a very long one would take seconds.
local MAX_LINE = 500

local function split_lines(text)
  local out, start = {}, 1
  repeat
    local newline = text:find("\n", start, true)
    local line_end = (newline or #text + 1) - 1
    local line = text:sub(start, math.min(line_end, start + MAX_LINE - 1))
    out[#out + 1], start = line:gsub("\r$", ""), line_end + 2
  until not newline
  return out
end

local function find_foreign_syntax_hint(line)
  for _, row in ipairs(FOREIGN) do
    if line and line:find(row[1]) then
      return row[2]
    end
  end
end

local function find_else_if(lines)
  for i = #lines, 1, -1 do
    if lines[i]:find(ELSE_IF) then
      return string.format("`else if` on line %d opens an `if` that requires its own `end`: use `elseif`", i)
    end
  end
end

local function count_words(line, words)
  local count = 0
  for _, word in ipairs(words) do
    for _ in line:gmatch("%f[%w_]" .. word .. "%f[^%w_]") do
      count = count + 1
    end
  end
  return count
end

-- Returns the indentation and the first word of the first line from `i` on that is not empty; nil at the end of the
-- file.
local function find_indent(lines, i)
  for k = i, #lines do
    if lines[k]:find("%S") then
      return #lines[k]:match("^%s*"), lines[k]:match("^%s*(%w*)")
    end
  end
end

local CONTINUES = { ["else"] = true, ["elseif"] = true, ["end"] = true }

-- Finds a one-line `if`, `for`, `while` or function without `end`, after which the code is not indented. `bare_lines`:
-- the lines without comments, strings and indentation.
local function find_forgotten_end(text, bare_lines, last_line)
  local lines = split_lines(text)
  for i = 1, math.min(last_line, #bare_lines) do
    local line = bare_lines[i]
    local keyword = line:match("^%s*(%a+)")
    local is_one_line = keyword == "if" and line:find("%f[%w_]then%f[^%w_]%s*%S")
      or (keyword == "for" or keyword == "while") and line:find("%f[%w_]do%f[^%w_]%s*%S")
    if not is_one_line and line:find("%f[%w_]function%f[^%w_][^()]*%b()%s*%S") then
      keyword, is_one_line = "function", true
    end
    if is_one_line and count_words(line, { "if", "do", "function" }) > count_words(line, { "end" }) then
      local indent, next_indent, next_word = find_indent(lines, i), find_indent(lines, i + 1)
      if next_indent and (next_indent < indent or next_indent == indent and not CONTINUES[next_word]) then
        return string.format("the `%s` on line %d has no `end`: add `end` to this line", keyword, i)
      end
    end
  end
end

local function suggest_label(text, name)
  local labels = {}
  for label in text:gmatch("::%s*([%w_]+)%s*::") do
    labels[#labels + 1] = label
  end
  return report.find_nearest(name, labels) and "did you mean " .. report.find_nearest(name, labels) .. "?"
    or "put the label ::" .. name .. ":: into the same block or an enclosing one"
end

-- Guesses from the source why a file does not compile. Returns a hint for the end of the compiler's message; nil if no
-- cause is found.
---@param text string
---@param line integer line in the compiler's message
---@param problem string the compiler's message
---@return string?
function M.find_syntax_hint(text, line, problem)
  if text:find("^\255\254") or text:find("^\254\255") then
    return "the file is UTF-16: save it as UTF-8"
  end
  local lines = split_lines(native.bare(text))
  local first_character = text:gsub("^%s*%-%-[^\n]*\n", ""):match("^%s*(%S)")
  if problem:find("^undefined label") then
    return suggest_label(text, problem:match("'(.-)'"))
  elseif problem:find("near '{'", 1, true) and first_character == "{" then
    return "return the file's table: return { … }"
  elseif problem:find("^'<eof>' expected near") and not problem:find("near '[e}]")
    and ("\n" .. text):find("\n%s*return%f[^%w_]") then
    return find_foreign_syntax_hint(lines[line])
      or "`return` must be the last statement: move the following code above it"
  elseif problem:find("'end' expected", 1, true) or problem:find("near '<eof>'", 1, true)
    or problem:find("near '}'", 1, true) then
    return find_foreign_syntax_hint(lines[line]) or find_else_if(lines)
      or find_forgotten_end(text, lines, #lines)
  end
  local previous_line = line - 1
  while previous_line > 0 and (lines[previous_line] or ""):find("^%s*$") do
    previous_line = previous_line - 1
  end
  return find_foreign_syntax_hint(lines[line]) or find_foreign_syntax_hint(lines[previous_line])
    or find_forgotten_end(text, lines, line)
end

-- --- `#` applied to a query

local util = require("jit.util")

local function get_instruction(f, pc)
  local instruction = util.funcbc(f, pc)
  if instruction then
    return bit.band(instruction, 0xff), bit.band(bit.rshift(instruction, 8), 0xff), bit.rshift(instruction, 16),
      bit.rshift(instruction, 24)
  end
end

local LENGTH = get_instruction(function(t) return #t end, 1)
local FIELD = get_instruction(function(t) return t.field end, 1)

-- Returns true if the slot holds a field of the first argument when instruction `pc` runs.
local function is_field_of_first(f, pc, slot)
  for i = pc - 1, 1, -1 do
    local op, a, _, b = get_instruction(f, i)
    if a == slot then
      return op == FIELD and b == 0
    end
  end
  return false
end

-- Finds `#` applied to the first argument of `f`, a query, or to one of its fields. `#q` is always 0, because `#`
-- ignores metatables of tables in this Lua. Returns the line and the argument's name, or nil if `f` contains no such
-- use.
---@param f function
---@return integer?
---@return string?
function M.find_length_of_first(f)
  for pc = 1, util.funcinfo(f).bytecodes - 1 do
    local op, _, slot = get_instruction(f, pc)
    if op == LENGTH and (slot == 0 or is_field_of_first(f, pc, slot)) then
      return util.funcinfo(f, pc).currentline, debug.getlocal(f, 1)
    end
  end
end

return M

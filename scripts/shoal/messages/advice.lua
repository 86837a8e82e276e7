-- What to write instead: for globals that other Lua programs have, and for values that are taken for numbers or tables.
local need, native = ...
local report = need("base/report")

---@class engine.advice
local M = {}

local NOTHING_WAITS = "nothing waits: e:sequence(\"intro\") goes through steps, { wait = 0.5 } is one; or count time "
  .. "in a component's field, or let a system run every = 60 ticks"

local INSTEAD = {
  io = "files are the host's: print and log.info write to the terminal, world.save and world.load keep a world",
  os = "the host keeps the time and the process: world.time, world.tick and dt say how late it is, world.quit() ends "
    .. "the game",
  debug = "print(e:describe()) and log.info show what there is",
  package = "require \"folder.file\" loads a module of the game's folder",
  ffi = "require \"ffi\" gives it, to a game that says native = true in game.lua and is trusted",
  dofile = "require \"folder.file\" loads a module of the game's folder",
  loadfile = "require \"folder.file\" loads a module of the game's folder",
  module = "a module is a file that returns a table",
  setfenv = "functions keep the environment that they have",
  getfenv = "functions keep the environment that they have",
  table_unpack = "it is table.unpack or unpack",
  null = "it is `nil` in Lua",
  None = "it is `nil` in Lua",
  undefined = "it is `nil` in Lua",
  True = "it is `true` in Lua",
  False = "it is `false` in Lua",
  TRUE = "it is `true` in Lua",
  FALSE = "it is `false` in Lua",
  update = "it is written with =: return { update = function(dt) … end }",
  each = "it is written with =: return { query = { \"transform\" }, each = function(e, dt) … end }",
  this = "`self` is what a behaviour's functions are called with",
  love = "this is another engine: systems/NAME.lua returns { update = function(dt) … end }, and systems of phase "
    .. "\"render\" draw",
  say = "it is a step of a sequence, written with =: { say = \"Hello\", who = \"Anna\" }",
  tween = "it is a step of a sequence, { tween = \"transform.x\", to = 60, seconds = 1 }, or "
    .. "world.tween(e, \"transform.x\", 60, 1)",
  ui = "widgets are components: { button = { text = \"Play\", emits = \"play\" } }, see ui.md",
  printf = "it is print(…), or log.info(\"%d\", x)",
  sleep = NOTHING_WAITS,
  wait = NOTHING_WAITS,
  dt = "it is what update = function(q, dt) and each = function(e, dt) are called with",
  q = "it is what update = function(q, dt) is called with, in a system with a query",
  e = "it is what each = function(e, dt) is called with",
  self = "it is what a behaviour's functions are called with",
  entity = "q.entity[i] is the entity of row i",
}

local TYPES = { single = true, many = true, enum = true, entity = true, vec2 = true, vec3 = true,
  vec4 = true, f32 = true, i32 = true, string = true }

-- Ends "there is no global io". `known` are the names that there are.
---@param name any
---@param known table<string, any>
---@param components table<string, any> by name
---@return string
function M.global(name, known, components)
  local words = INSTEAD[name] or name:find("\226\128") and "texts stand in straight quotation marks: \"text\""
  if words then
    return ": " .. words
  end
  local near = report.nearest(name, known)
  if near then
    return ": did you mean " .. near .. "?"
  end
  if components[name] then
    return string.format(": components are named by a text, \"%s\"", name)
  elseif rawget(TYPES, name) then
    return string.format(": it is shoal.types.%s", name)
  end
  return ": a value that lasts is a field of a component, or of a single, world.single.NAME; others are local"
end

-- --- what people write who know other languages

-- Removed words of the language, as patterns for a line without strings and comments: a load error names the new word.
local REMOVED = {
  { "%f[%w_]world%.changed%f[^%w_]", "world.changed was removed: give a system changed = function(e), or compare "
    .. "world.changes(name) with an earlier reading" },
  { "%f[%w_]world%.rewind%f[^%w_]", "world.rewind was removed: use world.restore(world.tick - 60), which goes back to "
    .. "a tick of the history" },
  { "%f[%w_]audio%.music%f[^%w_]", "audio.music was removed: declare the file in music.lua, return { night = "
    .. "\"night.ogg\" }, and use music.play(\"night\")" },
}

-- The first removed word in a file's source.
---@param source string
---@return integer? line
---@return string? words
function M.removed(source)
  for _, item in ipairs(REMOVED) do
    local code = source:find(item[1]) and native.bare(source) or ""
    local at = code:find(item[1])
    if at then
      local _, lines = code:sub(1, at):gsub("\n", "")
      return lines + 1, item[2]
    end
  end
end

local ELSE_IF = "%f[%w_]else%s+if%f[^%w_]"
local NO_BRACES = "blocks have no braces in Lua: function(e) … end, if x then … end"
local LOCAL = "a variable is made with `local`: local x = 1"
local FUNCTION = "a function is written function(e) … end"

-- Patterns for a line without strings and comments; the first match counts.
local FOREIGN = {
  { "\226\128[\152-\159]", "texts stand in straight quotation marks: \"text\"" },
  { "\226\128[\147\148]", "a minus is -, not –" },
  { "\194\160", "there is a space that is none, such as word processors write: type it anew" },
  { "%f[%w_]continue%f[^%w_]",
    "there is no `continue` in Lua: goto continue, with ::continue:: before the `end` of the loop" },
  { "%f[%w_]eli?f%f[^%w_]", "it is `elseif` in Lua" },
  { "%f[%w_]elsif%f[^%w_]", "it is `elseif` in Lua" },
  { "^%s*var%s+[%a_]", LOCAL },
  { "^%s*let%s+[%a_]", LOCAL },
  { "^%s*const%s+[%a_]", LOCAL },
  { "<%s*const%s*>", "this Lua has no <const>: local x = 5" },
  { "<%s*close%s*>", "this Lua has no <close>: local x = 5" },
  { "=>", FUNCTION },
  { "^%s*def%s+[%a_]", FUNCTION },
  { "^%s*func%s+[%a_]", FUNCTION },
  { "^%s*fn%s+[%a_]", FUNCTION },
  { "%)%s*{%s*$", NO_BRACES },
  { "%f[%w_]else%s*{", NO_BRACES },
  { "^%s*//", "a comment begins with -- in Lua" },
  { "/%*", "a comment begins with -- in Lua, a long one is --[[ … ]]" },
  { "//", "this Lua has no //: math.floor(a / b)" },
  { "&&", "\"and\" is `and` in Lua" },
  { "||", "\"or\" is `or` in Lua" },
  { "&", "bits are bit.band(a, b), and \"and\" is `and` in Lua" },
  { "|", "bits are bit.bor(a, b), and \"or\" is `or` in Lua" },
  { "<<", "bits are bit.lshift(a, n)" },
  { ">>", "bits are bit.rshift(a, n)" },
  { "[%w_)]%s*~%s*[%w_(]", "bits are bit.bxor(a, b), and \"is not equal\" is ~=" },
  { "%?", "there is no ? : in Lua: condition and a or b" },
  { "[%w_]%s*:%s*function%f[^%w_]", "a table's fields are written name = value" },
  { "[{,]%s*\"\"%s*:", "a table's fields are written name = value" },
  { "^%s*\"\"%s*:", "a table's fields are written name = value" },
  { "^%s*import%f[^%w_]", "require \"folder.file\" loads a module of the game's folder" },
  { "^%s*#include", "require \"folder.file\" loads a module of the game's folder" },
  { "^%s*switch%f[^%w_]", "there is no `switch` in Lua: if x == 1 then … elseif x == 2 then … end" },
  { "^%s*try%f[^%w_]", "there is no `try` in Lua: local good, problem = pcall(function() … end)" },
  { "%f[%w_]new%s+[%a_]", "there is no `new` in Lua: world.spawn makes entities" },
}

-- Of a line this many bytes are looked at: what is longer was written by a program, and would take seconds.
local MAX_OF_A_LINE = 500

local function lines_of(text)
  local out, from = {}, 1
  repeat
    local stop = text:find("\n", from, true)
    local last = (stop or #text + 1) - 1
    local line = text:sub(from, math.min(last, from + MAX_OF_A_LINE - 1))
    out[#out + 1], from = line:gsub("\r$", ""), last + 2
  until not stop
  return out
end

local function is_foreign(line)
  for _, row in ipairs(FOREIGN) do
    if line and line:find(row[1]) then
      return row[2]
    end
  end
end

local function else_if(lines)
  for i = #lines, 1, -1 do
    if lines[i]:find(ELSE_IF) then
      return string.format("`else if` in line %d opens an `if` with an `end` of its own: write `elseif`", i)
    end
  end
end

local function label(text, name)
  local labels = {}
  for known in text:gmatch("::%s*([%w_]+)%s*::") do
    labels[#labels + 1] = known
  end
  return report.nearest(name, labels) and "did you mean " .. report.nearest(name, labels) .. "?"
    or "a label, ::" .. name .. "::, stands in the same block or in one around it"
end

-- Why a file does not compile, as far as its text shows it: the words that end the compiler's message; nil for none.
---@param text string
---@param line integer where the compiler gave up
---@param problem string its message
---@return string?
function M.of_source(text, line, problem)
  if text:find("^\255\254") or text:find("^\254\255") then
    return "the file is UTF-16: save it as UTF-8"
  end
  local lines = lines_of(native.bare(text))
  local first = text:gsub("^%s*%-%-[^\n]*\n", ""):match("^%s*(%S)")
  if problem:find("^undefined label") then
    return label(text, problem:match("'(.-)'"))
  elseif problem:find("near '{'", 1, true) and first == "{" then
    return "a file gives its table with `return`: return { … }"
  elseif problem:find("^'<eof>' expected near") and not problem:find("near '[e}]")
    and ("\n" .. text):find("\n%s*return%f[^%w_]") then
    return is_foreign(lines[line]) or "`return` ends a file: what stands behind it belongs above it"
  elseif problem:find("'end' expected", 1, true) or problem:find("near '<eof>'", 1, true)
    or problem:find("near '}'", 1, true) then
    return is_foreign(lines[line]) or else_if(lines)
  end
  local before = line - 1
  while before > 0 and (lines[before] or ""):find("^%s*$") do
    before = before - 1
  end
  return is_foreign(lines[line]) or is_foreign(lines[before])
end

-- --- #q

local util = require("jit.util")

local function instruction(f, at)
  local x = util.funcbc(f, at)
  if x then
    return bit.band(x, 0xff), bit.band(bit.rshift(x, 8), 0xff), bit.rshift(x, 16), bit.rshift(x, 24)
  end
end

local LENGTH = instruction(function(t) return #t end, 1)
local FIELD = instruction(function(t) return t.field end, 1)

-- Is what lies in the slot before this instruction a field of the first argument?
local function is_field_of_first(f, at, slot)
  for i = at - 1, 1, -1 do
    local op, a, _, b = instruction(f, i)
    if a == slot then
      return op == FIELD and b == 0
    end
  end
  return false
end

-- # of a table looks at no metatable in this Lua, so #q is 0 whatever the query holds. Here the first argument of `f`
-- is such a table, and so are its fields. → the line where its length is asked for, and the argument's name; nil.
---@param f function
---@return integer?
---@return string?
function M.length_line(f)
  for at = 1, util.funcinfo(f).bytecodes - 1 do
    local op, _, slot = instruction(f, at)
    if op == LENGTH and (slot == 0 or is_field_of_first(f, at, slot)) then
      return util.funcinfo(f, at).currentline, debug.getlocal(f, 1)
    end
  end
end

return M

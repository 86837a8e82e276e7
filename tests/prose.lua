-- Checks every source file: luajit tests/prose.lua. A file must start with a comment that describes it, lines have at
-- most 120 columns, loops in C use ++i, and functions are short. Prints `ok` or `not ok` for each rule.

local WIDTH = 120
local LINES_OF_LUA, LINES_OF_C = 45, 60 -- maximum length of a function in lines
-- Functions that may be longer, with the reason.
local MAY_BE_LONGER = {
  ["tests/fuzz/api/values.lua: M.make_generator"] = "its closures share a dozen locals: one closure per kind of value",
  ["tests/unit/recording_test.c: external_input_is_recorded_before_its_tick"] =
    "one recording, read to its end",
  ["tests/unit/scene_test.c: scene_writes_only_differences_and_round_trips"] = "most of it is the text expected",
}

-- Returns true if a line cannot be broken: a URL, a table in a comment, or an annotation for the language server.
local function may_be_long(line)
  return line:find("https?://") or line:find("^%s*//%s*|") or line:find("^%s*%-%-%s*|") or line:find("^%s*%-%-%-@")
end

local function columns(line)
  return #line:gsub("[\128-\191]", "") -- does not count UTF-8 continuation bytes
end

local function files(what)
  local out = {}
  for name in io.popen("find " .. what .. " | LC_ALL=C sort"):lines() do
    out[#out + 1] = name
  end
  return out
end

local failed = false
local function verdict(name, wrong)
  failed = failed or #wrong > 0
  print(#wrong == 0 and "ok " .. name or "not ok " .. name .. ": " .. table.concat(wrong, "\n  "))
end

local function look(list, find)
  local wrong = {}
  for _, name in ipairs(list) do
    local number = 0
    for line in io.lines(name) do
      number = number + 1
      local what = find(line, number)
      if what then
        wrong[#wrong + 1] = ("%s:%d: %s"):format(name, number, what)
      end
    end
  end
  return wrong
end

-- Returns the first step in the last clause of a `for` loop that is written `i++` or `i--` and whose value is not used
-- (the value in `j = i++` is used).
local function counts_after(line)
  for step in (line:match("^%s*for %(.*;(.*)%)") or ""):gmatch("[^,]+") do
    if step:find("^[^=]+%+%+%s*$") or step:find("^[^=]+%-%-%s*$") then
      return step
    end
  end
end

-- Returns { name, first line, lines } of each function, found by its layout, which clang-format enforces in C. The name
-- of a unit test is the first argument of its macro.
local function functions_of_c(name)
  local out, first, called, number = {}, nil, nil, 0
  for line in io.lines(name) do
    number = number + 1
    local begun = line:find("^[%a_]") and not line:find("=", 1, true) and line:match("([%w_]+)%(")
    if begun and begun:find("^TEST") then
      begun = line:match("^TEST[%u_]*%(([%w_]+)")
    end
    if begun then
      first, called = number, begun
    elseif line == "}" and first then
      out[#out + 1] = { name = called, line = first, lines = number - first + 1 }
      first = nil
    elseif line:find("^}") then -- the end of a type or a table
      first = nil
    end
  end
  return out
end

local function functions_of_lua(name)
  local out, open, number = {}, {}, 0
  for line in io.lines(name) do
    number = number + 1
    local indent, rest = line:match("^(%s*)(.*)$")
    if rest:find("%f[%w_]function%f[^%w_][%s%w_.:]*%b()%s*$") then
      local called = rest:match("function ([%w_.:]+)") or rest:match("([%w_.]+) = function") or rest:match('%["(.-)"%]')
      open[indent] = { name = called or "a function", line = number }
    elseif rest:find("^end%f[%W]") and open[indent] then
      open[indent].lines = number - open[indent].line + 1
      out[#out + 1], open[indent] = open[indent], nil
    end
  end
  return out
end

local used = {}
local function too_many_lines(list, functions_of, max_lines)
  local wrong = {}
  for _, name in ipairs(list) do
    for _, f in ipairs(functions_of(name)) do
      local key = name .. ": " .. f.name
      if f.lines > max_lines and not MAY_BE_LONGER[key] then
        wrong[#wrong + 1] = ("%s:%d: %s has %d lines"):format(name, f.line, f.name, f.lines)
      end
      used[key] = used[key] or f.lines > max_lines
    end
  end
  return wrong
end

local c = files("engine tests -name '*.[ch]'")
local lua = files("scripts/shoal -name '*.lua'")
local all_lua = files("scripts tests -name '*.lua'")
-- A game's folder is described by its game.lua.
local games = files("scripts tests -name game.lua -not -path '*/templates/*'")

local function opens_with(comment)
  return function(line, number)
    return number == 1 and not line:find(comment) and "begins with " .. line:sub(1, 40)
  end
end
verdict("every C file starts with a comment that describes it", look(c, opens_with("^//")))
verdict("every Lua file of the engine starts with a comment that describes it", look(lua, opens_with("^%-%-")))
verdict("every game.lua starts with a comment that describes the game", look(games, opens_with("^%-%-")))
local function too_long(line)
  return columns(line) > WIDTH and not may_be_long(line) and columns(line) .. " columns"
end
verdict("lines in C and C++ have at most 120 columns",
  look(files("engine tests -name '*.[ch]' -o -name '*.[ch]pp'"), too_long))
verdict("lines in Lua have at most 120 columns", look(all_lua, too_long))
verdict("lines in JavaScript have at most 120 columns",
  look(files("assets/cockpit engine/docs/site -name '*.js'"), too_long))

-- Reports long lines in the code blocks of pages. A block begins with its language, such as "```lua game". Blocks of
-- program output ("```text") are not checked.
local function too_long_in_code()
  local block
  return function(line, number)
    local fence = line:match("^%s*```(.*)$")
    if number == 1 or fence then
      block = not (block and number > 1) and fence or nil
    end
    return block and not fence and not block:find("^text") and too_long(line)
  end
end
local pages = files("engine/docs engine/design engine/plugins engine/examples README.md engine/README.md -name '*.md'")
verdict("lines of code in pages have at most 120 columns", look(pages, too_long_in_code()))

-- Reports the first row after a blank line within a table, because this row is no longer part of the table. A new table
-- has a line of dashes below its first row.
local function row_apart_from_its_table()
  local before, last = "", "" -- the two previous lines
  local suspect -- the previous line is a row after a blank line; an error unless this line consists of dashes
  return function(line, number)
    if number == 1 then
      before, last, suspect = "", "", false
    end
    local found = suspect and not line:find("^|[-|: ]+$")
    suspect = line:find("^|") and last == "" and before:find("^|")
    before, last = last, line
    return found and "the line before is a row after a blank line: delete the blank line"
  end
end
verdict("tables in pages have no blank lines", look(pages, row_apart_from_its_table()))
verdict("loops in C and C++ increment with ++i", look(c, counts_after))
verdict("functions in C have at most 60 lines", too_many_lines(c, functions_of_c, LINES_OF_C))
verdict("functions in Lua have at most 45 lines", too_many_lines(all_lua, functions_of_lua, LINES_OF_LUA))
local unused = {}
for key in pairs(MAY_BE_LONGER) do
  unused[#unused + 1] = not used[key] and key or nil
end
verdict("every exception for a longer function is needed", unused)
os.exit(failed and 1 or 0)

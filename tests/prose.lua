-- luajit tests/prose.lua: reads every source file and says `ok` or `not ok` for what holds in all of them: it opens
-- with what it is, its lines have 120 columns at most, loops in C count with ++i, and functions are short.

local WIDTH = 120
local LINES_OF_LUA, LINES_OF_C = 45, 60 -- of a function
-- Functions that are longer, with the reason.
local MAY_BE_LONGER = {
  ["tests/fuzz/api/values.lua: M.maker"] = "what it makes shares a dozen locals: one maker for each kind of value",
  ["tests/unit/recording_test.c: external_input_is_recorded_before_its_tick"] =
    "one recording, read to its end",
  ["tests/unit/scene_test.c: scene_writes_only_differences_and_round_trips"] = "most of it is the text expected",
}

-- Lines that cannot be broken: an address, a table of a comment, an annotation for the language server.
local function may_be_long(line)
  return line:find("https?://") or line:find("^%s*//%s*|") or line:find("^%s*%-%-%s*|") or line:find("^%s*%-%-%-@")
end

local function columns(line)
  return #line:gsub("[\128-\191]", "") -- bytes that go on with a character of UTF-8
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

-- What is counted in the last clause of a loop by `i++` or `i--` although nothing takes the value: in `j = i++` it is
-- the value from before that counts.
local function counts_after(line)
  for step in (line:match("^%s*for %(.*;(.*)%)") or ""):gmatch("[^,]+") do
    if step:find("^[^=]+%+%+%s*$") or step:find("^[^=]+%-%-%s*$") then
      return step
    end
  end
end

-- { name, first line, lines } for each function; found by its layout, which clang-format keeps in C.
local function functions_of_c(name)
  local out, first, called, number = {}, nil, nil, 0
  for line in io.lines(name) do
    number = number + 1
    local begun = line:find("^[%a_]") and not line:find("=", 1, true) and line:match("([%w_]+)%(")
    if begun then
      first, called = number, begun
    elseif line == "}" and first then
      out[#out + 1] = { name = called, line = first, lines = number - first + 1 }
      first = nil
    elseif line:find("^}") then -- of a type or a table
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
local function too_many_lines(list, functions_of, most)
  local wrong = {}
  for _, name in ipairs(list) do
    for _, f in ipairs(functions_of(name)) do
      local key = name .. ": " .. f.name
      if f.lines > most and not MAY_BE_LONGER[key] then
        wrong[#wrong + 1] = ("%s:%d: %s has %d lines"):format(name, f.line, f.name, f.lines)
      end
      used[key] = used[key] or f.lines > most
    end
  end
  return wrong
end

local c = files("engine tests -name '*.[ch]'")
local lua = files("scripts/shoal -name '*.lua'")
local all_lua = files("scripts tests -name '*.lua'")
-- The folder of a game is small: its game.lua says what it is.
local games = files("scripts tests -name game.lua -not -path '*/templates/*'")

local function opens_with(comment)
  return function(line, number)
    return number == 1 and not line:find(comment) and "begins with " .. line:sub(1, 40)
  end
end
verdict("every file of C opens with what it is", look(c, opens_with("^//")))
verdict("every file of the engine's Lua opens with what it is", look(lua, opens_with("^%-%-")))
verdict("every game.lua opens with what the game is", look(games, opens_with("^%-%-")))
local function too_long(line)
  return columns(line) > WIDTH and not may_be_long(line) and columns(line) .. " columns"
end
verdict("lines of C have 120 columns at most", look(c, too_long))
verdict("lines of Lua have 120 columns at most", look(all_lua, too_long))
verdict("loops count with ++i", look(c, counts_after))
verdict("a function of C has 60 lines at most", too_many_lines(c, functions_of_c, LINES_OF_C))
verdict("a function of Lua has 45 lines at most", too_many_lines(all_lua, functions_of_lua, LINES_OF_LUA))
local unused = {}
for key in pairs(MAY_BE_LONGER) do
  unused[#unused + 1] = not used[key] and key or nil
end
verdict("functions that may be longer are", unused)
os.exit(failed and 1 or 0)

-- Usage: luajit engine/docs/site/lua_libraries.lua FOLDER [PROGRAM] > engine/docs/lua_libraries.md. Generates the page
-- about Lua libraries: loads each library in a game and runs its test suite there, and in LuaJIT for comparison.
-- FOLDER contains the sources, one folder for each library, with a file VERSION; libraries that are missing keep their
-- current row of the page. PROGRAM: by default build/release/bin/shoal. Tests that fail only in a game go to stderr.
local FOLDER, PROGRAM = arg[1], arg[2] or "build/release/bin/shoal"
local PAGE, HARNESS = "engine/docs/lua_libraries.md", "engine/docs/site/library_tests.lua"

local LIBRARIES = dofile("engine/docs/site/library_list.lua") -- the first lines of that file describe the fields

local function quote(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function run(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("*a")
  pipe:close()
  return text
end

local function read(path)
  local file = io.open(path)
  local text = file and file:read("*a")
  return text, file and file:close()
end

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

-- Returns the paths of a library's files that match one of the patterns, relative to its folder, sorted.
local function list_files(folder, patterns)
  local out = {}
  for path in run("cd " .. quote(folder) .. " && find . -name '*.lua' | LC_ALL=C sort"):gmatch("%./([^\n]+)") do
    for _, pattern in ipairs(patterns) do
      if path:find(pattern) then
        out[#out + 1] = path
        break
      end
    end
  end
  return out
end

local GAME = [[return { title = "Libraries", budget = { start = 0, load = 0, system = 0 } }]]
-- Requires the modules while the game is loaded, and runs the suite from `start`.
local SYSTEM = [[
local modules, files = %s, %s
local problems = {}
for i, name in ipairs(modules) do
  local ok, problem = pcall(require, name)
  problems[i] = not ok and name .. "\t" .. tostring(problem):gsub("%%s+", " ") or nil
end
local tests = require "library_tests"
return { start = function()
  for i = 1, #modules do print("LOAD\t" .. (problems[i] or modules[i] .. "\tok")) end
  tests.run(files, function(file) return assets.text(file .. ".txt") end)
end }
]]
-- The same in LuaJIT.
local MAIN = [[
package.path = "./?.lua;./?/init.lua"
arg = nil
local modules, files = %s, %s
for _, name in ipairs(modules) do pcall(require, name) end
require("library_tests").run(files, function(file)
  local input = io.open("assets/" .. file .. ".txt")
  return input and input:read("*a")
end)
]]

local function format_list(list)
  local out = {}
  for i, item in ipairs(list) do
    out[i] = string.format("%q", item)
  end
  return "{ " .. table.concat(out, ", ") .. " }"
end

-- Creates a game with the library in `game`. Returns the names of the suite's files.
local function create_game(library, game)
  local source = FOLDER .. "/" .. library.name
  run("rm -rf " .. quote(game) .. " && mkdir -p " .. quote(game .. "/systems") .. " " .. quote(game .. "/assets"))
  for from, to in pairs(library.copy) do
    local target = quote(game .. "/" .. to)
    run("mkdir -p $(dirname " .. target .. ") && cp -r " .. quote(source .. "/" .. from) .. " " .. target)
  end
  local files, tests = list_files(source, library.tests), {}
  for _, file in ipairs(files) do
    local target = quote(game .. "/assets/" .. file .. ".txt")
    run("mkdir -p $(dirname " .. target .. ") && cp " .. quote(source .. "/" .. file) .. " " .. target)
    tests[#tests + 1] = not (library.helpers and file:find(library.helpers)) and file or nil
  end
  write(game .. "/game.lua", GAME)
  write(game .. "/library_tests.lua", read(HARNESS))
  return tests
end

-- Runs a game that requires the modules and runs the suite. Returns its output.
local function run_game(game, modules, tests)
  write(game .. "/systems/run.lua", SYSTEM:format(format_list(modules), format_list(tests)))
  return run("timeout 120 " .. quote(PROGRAM) .. " run " .. quote(game) .. " --headless --ticks 1 2>&1 </dev/null")
end

-- Returns the results of a run: { name = "ok" or the error }.
local function parse_results(output, kind)
  local out = {}
  for line in output:gmatch("[^\n]+") do
    local name, result = line:match("^" .. kind .. "\t(.-)\t(.*)$")
    if name then
      local key, suffix = name, 1
      while out[key] do -- two tests may have the same name
        suffix = suffix + 1
        key = name .. " " .. suffix
      end
      out[key] = result
    end
  end
  return out
end

local function log(...)
  io.stderr:write(string.format(...), "\n")
end

-- Returns the modules that load in a game of their own.
local function list_loading(library, game)
  local out = {}
  for _, name in ipairs(library.modules) do
    local output = run_game(game, { name }, {})
    local result = parse_results(output, "LOAD")[name]
    if result == "ok" then
      out[#out + 1] = name
    else
      log("%s: module %s: %s", library.name, name, result or output:match("error: [^\n]*") or output)
    end
  end
  return out
end

-- Returns the number of modules that load, and the tests that pass in the game, of those that pass in LuaJIT.
local function try(library, game)
  local tests = create_game(library, game)
  local loading = list_loading(library, game)
  local in_game = parse_results(run_game(game, loading, tests), "RESULT")
  write(game .. "/main.lua", MAIN:format(format_list(library.modules), format_list(tests)))
  local in_luajit = run("cd " .. quote(game) .. " && timeout 120 luajit main.lua 2>&1 </dev/null")
  local expected = parse_results(in_luajit, "RESULT")
  local passed, total = 0, 0
  for name, result in pairs(expected) do
    if result == "ok" then
      total, passed = total + 1, passed + (in_game[name] == "ok" and 1 or 0)
      if in_game[name] ~= "ok" then
        log("%s: %s: %s", library.name, name, in_game[name] or "not run")
      end
    elseif os.getenv("VERBOSE") then
      log("%s: fails in LuaJIT: %s: %s", library.name, name, result)
    end
  end
  return #loading, passed, total
end

-- Returns the row of a library in the page.
local function format_row(library, present_page)
  local source = FOLDER .. "/" .. library.name
  local version = read(source .. "/VERSION")
  if not version then
    log("%s: no sources: the row is kept", library.name)
    return ("\n" .. present_page):match("\n(| " .. library.title:gsub("%p", "%%%0") .. " [^\n]*)")
  end
  local game = os.tmpname()
  os.remove(game)
  local loaded, passed, total = try(library, game)
  local modules = #library.modules
  run("rm -rf " .. quote(game))
  local loads = loaded == modules and "yes" or modules == 1 and "no" or loaded .. " of " .. modules
  return string.format("| %s %s | %s | %s | %s |", library.title, version:match("%S+"), loads,
    total > 0 and passed .. " of " .. total or "–", library.note)
end

local present_page, rows = read(PAGE) or "", {}
for _, library in ipairs(LIBRARIES) do
  rows[#rows + 1] = format_row(library, present_page)
end
io.write((LIBRARIES.page:gsub("ROWS", function() return table.concat(rows, "\n") end)))

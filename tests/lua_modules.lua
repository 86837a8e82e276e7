-- Checks the dependencies of the engine's Lua files, scripts/shoal/, the C names that they use, and that tests/lua runs
-- all of its cases: luajit tests/lua_modules.lua [--picture]
--
-- A file lists its dependencies at the top, with need("folder/file"), not within functions. The dependencies of files
-- must be acyclic, and a folder may use only the folders above it in the table "The Lua half" of engine/README.md.
-- --picture prints each folder with its files and the folders it uses.

local ROOT = "scripts/shoal/"
local FIRST = "boot" -- defines need(); the only file that loads engine.lua

local failed = false
local function verdict(name, wrong)
  failed = failed or #wrong > 0
  print(#wrong == 0 and "ok " .. name or "not ok " .. name .. ": " .. table.concat(wrong, "; "))
end

local function read_file(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end

-- --- tokens

local OPENS = { ["function"] = true, ["do"] = true, ["then"] = true, ["repeat"] = true }
local CLOSES = { ["end"] = true, ["until"] = true, ["elseif"] = true, ["else"] = true }

-- Calls f(token, line) for each name, keyword, string (with its opening quotation mark) and other character.
local function each_token(text, f)
  local at, line = 1, 1
  while at <= #text do
    local open, level = text:match("^%-*%[(=*)()%[", at)
    local comment = text:find("^%-%-", at)
    local stop
    if open and (comment or text:find("^%[", at)) and level == at + (comment and 3 or 1) + #open then
      stop = select(2, text:find("]" .. open .. "]", at, true))
    elseif comment then
      stop = text:find("\n", at, true) - 1
    elseif text:find("^[\"']", at) then
      local quote = text:sub(at, at)
      stop = at + 1
      while text:sub(stop, stop) ~= quote do
        stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
      end
      f(text:sub(at, stop - 1), line)
    else
      stop = select(2, text:find("^[%a_][%w_]*", at)) or at
      if not text:find("^%s", at) then
        f(text:sub(at, stop), line)
      end
    end
    local _, lines = text:sub(at, stop):gsub("\n", "")
    at, line = stop + 1, line + lines
  end
end

-- Returns the files that a file depends on as { name = line }, and the lines that call need() in a function.
local function needs_of(text)
  local needs, inside, blocks, functions, before, called = {}, {}, {}, 0, "", false
  each_token(text, function(token, line)
    if CLOSES[token] then
      functions = functions - (table.remove(blocks) == "function" and 1 or 0)
    end
    if OPENS[token] or token == "else" then
      blocks[#blocks + 1] = token
      functions = functions + (token == "function" and 1 or 0)
    end
    if (called or before == "need") and token:find("^[\"']") then
      needs[token:sub(2)] = line
      inside[#inside + 1] = functions > 0 and line or nil
    end
    called, before = before == "need" and token == "(", token
  end)
  assert(#blocks == 0, "blocks that are not closed")
  return needs, inside
end

-- --- files and folders

local function folder_of(name)
  return name:match("^(.*)/") or name
end

local names, graph, in_functions = {}, {}, {}
local FIND = " -name '*.lua' -not -path '*/menu/*' -not -path '*/lobby/*' | LC_ALL=C sort"
for path in io.popen("find " .. ROOT .. FIND):lines() do
  local name = path:sub(#ROOT + 1, -5)
  local needs, inside = needs_of(read_file(path))
  names[#names + 1], graph[name] = name, needs
  for _, line in ipairs(name ~= FIRST and inside or {}) do
    in_functions[#in_functions + 1] = path .. ":" .. line
  end
end
verdict("need() is called only at the top of a file", in_functions)

local missing = {}
for _, name in ipairs(names) do
  for needed, line in pairs(graph[name]) do
    if not graph[needed] then
      missing[#missing + 1] = ("%s%s.lua:%d: there is no %s"):format(ROOT, name, line, needed)
    end
  end
end
verdict("every needed file exists", missing)

local function sorted_keys(t)
  local keys = {}
  for key in pairs(t) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

-- Appends cycles to `cycles`, each as "a, b, a", by a depth-first search that visits each file once.
local cycles, visited, path = {}, {}, {}
local function visit(name)
  visited[name], path[#path + 1] = "open", name
  for _, needed in ipairs(sorted_keys(graph[name])) do
    if visited[needed] == "open" then
      local from = #path
      while path[from] ~= needed do
        from = from - 1
      end
      cycles[#cycles + 1] = table.concat(path, ", ", from) .. ", " .. needed
    elseif graph[needed] and not visited[needed] then
      visit(needed)
    end
  end
  visited[name], path[#path] = "done", nil
end
for _, name in ipairs(names) do
  if not visited[name] then
    visit(name)
  end
end
verdict("the dependencies of files are acyclic", cycles)

local section = read_file("engine/README.md"):match("\n## The Lua half\n(.*)") or ""
local rank, count = {}, 0
for folder in section:gmatch("\n| `([%w_]+)/` |") do
  count = count + 1
  rank[folder] = count
end
rank.engine, rank[FIRST] = count + 1, count + 2

local folders, wrong = {}, {} -- folders: { [folder] = { files, uses = { [used folder] = count } } }
for _, name in ipairs(names) do
  local folder = folder_of(name)
  folders[folder] = folders[folder] or { files = 0, uses = {} }
  folders[folder].files = folders[folder].files + 1
  for needed in pairs(graph[name]) do
    local other = folder_of(needed)
    if other ~= folder then
      folders[folder].uses[other] = (folders[folder].uses[other] or 0) + 1
      if (rank[other] or 0) > (rank[folder] or 0) then
        wrong[#wrong + 1] = name .. " needs " .. needed
      end
    end
  end
end
verdict("a folder uses only the folders above it in engine/README.md", wrong)

local without = {}
for folder in pairs(folders) do
  without[#without + 1] = not rank[folder] and folder or nil
end
for folder in pairs(rank) do
  without[#without + 1] = not folders[folder] and folder ~= "menu" and folder ~= "lobby" and folder or nil
end
verdict("the table in engine/README.md lists exactly the folders of scripts/shoal", without)

-- --- names of C

-- Adds the matches of a pattern in the listed files to a set.
local function add_matches(set, command, pattern)
  for file in io.popen(command):lines() do
    for word in read_file(file):gmatch(pattern) do
      set[word] = true
    end
  end
  return set
end

-- C.x is declared to LuaJIT in the files *abi.h; native.x is a string in a table of functions, or set by a Lua file.
-- Lua would report a wrong name only when it executes the line.
local SOURCES = "find engine -name '*.[ch]'"
local known = { C = add_matches({}, "find engine -name '*abi.h'", "[%a_][%w_]*"),
  native = add_matches(add_matches({}, SOURCES, '"([%a_][%w_]*)"'), "find " .. ROOT .. " -name '*.lua'",
    "%f[%w_.]native%.([%a_][%w_]*) = ") }
local unknown = {}
for _, name in ipairs(names) do
  local first, second = "", ""
  each_token(read_file(ROOT .. name .. ".lua"), function(token, line)
    if second == "." and known[first] and not known[first][token] then
      unknown[#unknown + 1] = ("%s%s.lua:%d: there is no %s.%s"):format(ROOT, name, line, first, token)
    end
    first, second = second, token
  end)
end
verdict("every C.name and native.name in the engine's Lua files exists", unknown)

local suite, not_run = read_file("tests/lua/lib/suite.lua"), {}
for name in io.popen("ls tests/lua/cases"):read("*a"):gmatch("([%w_]+)%.lua") do
  not_run[#not_run + 1] = not suite:find(('"%s"'):format(name), 1, true) and name .. " is missing in CASES" or nil
end
verdict("tests/lua runs every file in its folder cases", not_run)

for _, folder in ipairs(arg[1] == "--picture" and sorted_keys(folders) or {}) do
  local uses = {}
  for _, other in ipairs(sorted_keys(folders[folder].uses)) do
    uses[#uses + 1] = other .. " " .. folders[folder].uses[other]
  end
  print(("%-9s %2d files, uses %s"):format(folder, folders[folder].files, table.concat(uses, ", ")))
end
os.exit(failed and 1 or 0)

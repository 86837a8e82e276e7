-- Checks premake5.lua: luajit premake.lua [FILE | compare COMMANDS OTHER].
--
-- Runs FILE (default: premake5.lua) with stand-ins for the functions of premake5, as its documentation lists them,
-- and reports functions and values that premake5 does not have. Debian builds Shoal with premake4, which would accept
-- them. Also checks that every project has its own object folder in each configuration, because modules may have files
-- of the same name. `compare` compares the compile commands in two outputs of `make -n`.
--
-- Prints violations and exits with 1.

-- --- names of premake5

-- Globals that both LuaJIT and Lua 5.3 have; premake5 is based on Lua 5.3.
local LUA = "assert error getmetatable io ipairs next pairs pcall print rawequal rawget rawset select setmetatable "
  .. "string table tonumber tostring type math"
-- Functions whose argument must be one of these words (documentation of premake5, Project API).
local WORDS = {
  kind = "ConsoleApp WindowedApp SharedLib StaticLib Makefile Utility None Packaging SharedItems",
  language = "C C++ C# F#",
  cdialect = "Default C89 C90 C99 C11 C17 C23 gnu89 gnu90 gnu99 gnu11 gnu17 gnu23",
  cppdialect = "Default C++98 C++0x C++11 C++1y C++14 C++1z C++17 C++2a C++20 C++latest gnu++98 gnu++11 gnu++14 "
    .. "gnu++17 gnu++20",
  symbols = "Default Off On FastLink Full",
  optimize = "Off On Debug Size Speed Full",
  warnings = "Off Default High Extra Everything",
  visibility = "Default Hidden Internal Protected",
  pic = "Off On",
  omitframepointer = "Default On Off",
  staticruntime = "Default On Off",
}
-- Functions that take a string or a list of strings.
local TEXTS = "configurations platforms location defines undefines buildoptions linkoptions includedirs "
  .. "externalincludedirs sysincludedirs libdirs syslibdirs links files removefiles targetdir targetname targetprefix "
  .. "targetsuffix targetextension objdir runpathdirs dependson group startproject toolset sanitize flags basedir "
  .. "prebuildcommands prelinkcommands postbuildcommands enablewarnings disablewarnings fatalwarnings forceincludes"
-- Members of `os` and `path` that premake5 adds; `os` also has Lua's members.
local OS = "outputof matchfiles matchdirs isfile isdir host target get getenv getcwd mkdir copyfile remove time date "
  .. "clock execute exit rename tmpname findlib realpath"
local PATH = "getname getdirectory getbasename getextension getabsolute getrelative join normalize translate "
  .. "isabsolute wildcards appendextension replaceextension"

local function split_words(text)
  local set = {}
  for word in text:gmatch("%S+") do
    set[word] = true
  end
  return set
end

-- --- the check of premake5.lua

local script_path = arg[1] or "premake5.lua"
local current, term, folders = nil, nil, {}
local problems, count = {}, 0

-- Adds a violation, at the line of the script that is being executed.
local function report(format, ...)
  local level = 2
  while debug.getinfo(level, "S").source ~= "@" .. script_path do
    level = level + 1
  end
  local place = debug.getinfo(level, "l")
  local problem = ("%s:%d: "):format(script_path, place.currentline) .. format:format(...)
  if problem ~= problems[#problems] then
    problems[#problems + 1] = problem
  end
end

local function list_lines(command)
  local out = {}
  for line in io.popen(command):lines() do
    out[#out + 1] = line
  end
  return out
end

local function check_text(name, value)
  for _, text in ipairs(type(value) == "table" and value or { value }) do
    if type(text) ~= "string" then
      report("%s: expected a string or a list of strings, got %s", name, type(text))
    end
  end
end

local function take_object_folder(folder)
  check_text("objdir", folder)
  count = count + 1
  if not term then
    report("%s: objdir %s is not in a filter", current, folder)
  elseif folders[folder] then
    report("%s: %s is already the object folder of %s", current, folder, folders[folder])
  end
  folders[folder] = current
end

local FOUND = {
  outputof = function() return "-lsomething" end,
  matchfiles = function(pattern)
    local folder, name = pattern:match("^(.*)/([^/]*)$") -- `**` also matches files in subfolders
    local depth = name:find("**", 1, true) and "" or "-maxdepth 1"
    return list_lines(("find %s %s -name '%s' | LC_ALL=C sort"):format(folder, depth, name))
  end,
  getname = function(path) return path:match("[^/]*$") end,
  getdirectory = function(path) return path:match("^(.*)/") end,
  getbasename = function(path) return path:match("([^/]*)%.%w+$") end,
}

-- Returns a stand-in for a table of functions, such as `os`.
local function create_stand_in(of, names, originals)
  local known = split_words(names)
  return setmetatable({}, { __index = function(_, name)
    if not known[name] then
      report("%s.%s is not a function of premake5", of, tostring(name))
    end
    return FOUND[name] or originals[name] or function() end
  end })
end

local environment = {
  workspace = function() current, term = nil, nil end,
  filter = function(of) term = type(of) == "string" and of or nil end,
  project = function(name)
    current, term = name or current, nil
    return { name = current }
  end,
  objdir = take_object_folder,
  _p = print,
  newaction = function(action) check_text("newaction", { action.trigger, action.description }) end,
  os = create_stand_in("os", OS, os),
  path = create_stand_in("path", PATH, {}),
}
for name in pairs(split_words(LUA)) do
  environment[name] = _G[name]
end
for name in pairs(split_words(TEXTS)) do
  environment[name] = environment[name] or function(value) check_text(name, value) end
end
for name, choices in pairs(WORDS) do
  environment[name] = function(value)
    if not split_words(choices)[value] then
      report('%s: "%s" is not one of the values of premake5: %s', name, tostring(value), choices)
    end
  end
end

local function check_script()
  local script = assert(loadfile(script_path))
  setfenv(script, setmetatable(environment, { __index = function(_, name)
    report("%s is not a function of premake5", name)
    return function() end
  end }))
  script()
  if count < 40 then
    problems[#problems + 1] = ("only %d object folders: premake5.lua was not evaluated"):format(count)
  end
end

-- --- the comparison of compile commands

-- Options that name outputs, and options for dependency files: premake4 and premake5 differ in them.
local SKIPPED = { ["-o"] = 1, ["-MF"] = 1, ["-MT"] = 1, ["-MD"] = 0, ["-MMD"] = 0, ["-MP"] = 0, ["-c"] = 0 }

-- Returns the options of each compile command in an output of `make -n`, by source file and project, and the number of
-- commands. Folders of system headers and -fPIC are sorted and precede the other options: premake5 orders them
-- differently.
local function read_commands(path)
  local commands, number = {}, 0
  for line in io.lines(path) do
    if line:find(" -c ", 1, true) then
      -- skip: number of words to skip; the first word is the compiler
      local options, unordered, seen, source, skip = {}, {}, {}, nil, 1
      for word in line:gsub("-isystem ", "-isystem="):gmatch("%S+") do
        local bare = word:gsub('"', "")
        if skip > 0 then
          skip = skip - 1
        elseif SKIPPED[bare] then
          skip = SKIPPED[bare]
        elseif bare:find("%.cp?p?$") then
          source = bare:gsub("^%.%./", "")
        elseif not seen[bare] then
          seen[bare] = true
          local list = (bare == "-fPIC" or bare:find("^-isystem=")) and unordered or options
          list[#list + 1] = bare
        end
      end
      if source then
        table.sort(unordered)
        local project = line:match("obj/([%w_]+)/") or ""
        commands[project .. ": " .. source] = table.concat(unordered, " ") .. " " .. table.concat(options, " ")
        number = number + 1
      end
    end
  end
  return commands, number
end

-- Returns the first word in which two lists of options differ.
local function find_difference(a, b)
  local of_a, of_b = {}, {}
  for word in a:gmatch("%S+") do of_a[#of_a + 1] = word end
  for word in b:gmatch("%S+") do of_b[#of_b + 1] = word end
  for i = 1, math.max(#of_a, #of_b) do
    if of_a[i] ~= of_b[i] then
      return ("%s and %s"):format(of_a[i] or "nothing", of_b[i] or "nothing")
    end
  end
end

local function compare_commands(path, other)
  local a, count_a = read_commands(path)
  local b, count_b = read_commands(other)
  if count_a == 0 or count_a ~= count_b then
    problems[#problems + 1] = ("%d compile commands in %s, %d in %s"):format(count_a, path, count_b, other)
  end
  for source, options in pairs(a) do
    if not b[source] then
      problems[#problems + 1] = source .. ": compiled in only one of the builds"
    elseif b[source] ~= options then
      problems[#problems + 1] = ("%s: the options differ: %s"):format(source, find_difference(options, b[source]))
    end
  end
end

if arg[1] == "compare" then
  compare_commands(arg[2], arg[3])
else
  check_script()
end
table.sort(problems)
print(table.concat(problems, "\n"))
os.exit(#problems == 0 and 0 or 1)

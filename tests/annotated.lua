-- Checks that every function of scripts/shoal that is called from another file is annotated for the Lua language
-- server, with a `---@param` for each parameter, in order, a `---@return` if it returns a value, and only existing
-- types. Classes of C structs must match abi.h. Prints `ok` or `not ok` for each module. Relies on the layout of files:
-- a function ends with an `end` at its own indentation.

local FOLDER = "scripts/shoal"
local BUILT_IN = "any async boolean false ffi.cdata ffilib fun function integer lightuserdata nil number self string "
  .. "table thread true unknown userdata void"

local function lines_of(path)
  local out = {}
  for line in io.lines(path) do
    out[#out + 1] = line
  end
  return out
end

local function files_of(folder)
  local out = {}
  for path in io.popen("find " .. folder .. " -name '*.lua' | LC_ALL=C sort"):lines() do
    out[#out + 1] = path
  end
  return out
end

-- --- content of a file

-- Returns the statement that starts at this line, joined with its continuation lines.
local function statement(lines, at)
  local text = lines[at]
  while text:find("[=,(]%s*$") and lines[at + 1] do
    at = at + 1
    text = text .. " " .. lines[at]
  end
  return text
end

-- Returns the modules loaded by a file: local a, b = need("x"), need("y") → { a = "x", b = "y" }
local function needed(lines)
  local out = {}
  for at in ipairs(lines) do
    local names, values = statement(lines, at):match("^%s*local ([%w_, ]+) =%s+(.*need%(.*)$")
    local modules = {}
    for module in (values or ""):gmatch("need%(\"([%w_/]+)\"%)[,%s]") do
      modules[#modules + 1] = module
    end
    modules[#modules + 1] = (values or ""):match("need%(\"([%w_/]+)\"%)$")
    for name in (#modules > 0 and names or ""):gmatch("[%w_]+") do
      out[name] = table.remove(modules, 1)
    end
  end
  return out
end

-- Returns the annotations above a line: { order = parameter names, returns = number of results, overload }.
local function annotations(lines, at)
  local out = { order = {}, returns = 0 }
  at = at - 1
  while lines[at] and lines[at]:find("^%s*%-%-") do
    local name = lines[at]:match("^%s*%-%-%-@param ([%w_%.]+)%??%s+%S")
    if name then
      table.insert(out.order, 1, name)
    end
    out.returns = out.returns + (lines[at]:find("^%s*%-%-%-@return%s+%S") and 1 or 0)
    out.overload = out.overload or lines[at]:find("^%s*%-%-%-@type fun") ~= nil
    at = at - 1
  end
  return out
end

-- Returns true if the function that starts at this line returns a value itself (not in a nested function).
local function returns(lines, at)
  local indent = lines[at]:match("^%s*")
  local inner
  for i = at + 1, #lines do
    local line = lines[i]:gsub('\\.', ""):gsub('"[^"]*"', ""):gsub("%-%-.*", "")
    if line:find("^" .. indent .. "end") then
      return false
    elseif inner then
      inner = not line:find("^" .. inner .. "end") and inner or nil
    else
      local own = line:gsub("function%b().-%f[%w_]end%f[^%w_]", "")
      if own:find("%f[%w_]return%f[^%w_]%s*[^%s;]") and not own:find("return report%.%w+%(") then
        return true
      end
      local opens = line:find("function [%w_%.:]*%b()%s*$") or line:find("function%b()%s*$")
      inner = opens and line:match("^%s*") or nil
    end
  end
  return false
end

-- Returns the functions that a module exports and defines in its file: name → { at, parameters }.
local function exported(lines)
  local out, locals, text = {}, {}, false
  for at, line in ipairs(lines) do
    text = (text or line:find("%[%[%s*$") ~= nil) and not line:find("^%]%]")
    local is_local, name, parameters = line:match("^(%l*) ?function ([%w_%.]+)(%b())")
    local found = name and { at = at, parameters = parameters }
    if found and is_local == "local" then
      locals[name] = found
    elseif found and name:find("^M%.[%w_]+$") then
      out[name:sub(3)] = found
    end
    local names, values = line:match("^(M%.[%w_%., M]+) = ([%a_][%w_, ]*)$")
    local given = {}
    for value in (values or ""):gmatch("[%w_]+") do
      given[#given + 1] = locals[value] or false
    end
    for export in (names or ""):gmatch("M%.([%w_]+)") do
      out[export] = table.remove(given, 1) or out[export]
    end
    if not text and line:find("^return function%(") then -- the module is a function
      out[""] = { at = at, parameters = line:match("%b()") }
    end
  end
  return out
end

-- --- callers

local modules, uses = {}, {} -- uses[module][name]: another file uses this name
for _, path in ipairs(files_of(FOLDER)) do
  local name = path:match("^" .. FOLDER .. "/(.*)%.lua$")
  if not name:find("^menu/") and not name:find("^lobby/") then
    modules[#modules + 1] = { name = name, path = path, lines = lines_of(path) }
    uses[name] = { [""] = true }
  end
end

for _, module in ipairs(modules) do
  local known = needed(module.lines)
  for _, line in ipairs(module.lines) do
    for name, key in line:gmatch("%f[%w_]([%a_][%w_]*)%.([%a_][%w_]*)") do
      if known[name] and uses[known[name]] and known[name] ~= module.name then
        uses[known[name]][key] = true
      end
    end
    for name, key in line:gmatch("need%(\"([%w_/]+)\"%)%.([%a_][%w_]*)") do
      uses[name][key] = true
    end
  end
end
for _, line in ipairs(lines_of("engine/script/script/vm.c")) do -- C calls the functions of engine.lua by name
  for key in line:gmatch('"([%l_]+)"') do
    uses.engine[key] = true
  end
end

-- --- types

local types = {}
for name in BUILT_IN:gmatch("%S+") do
  types[name] = true
end
for _, folder in ipairs { FOLDER, "scripts/types" } do
  for _, path in ipairs(files_of(folder)) do
    for _, line in ipairs(lines_of(path)) do
      local kind, name = line:match("^%s*%-%-%-@(%l+) ([%w_%.]+)")
      types[(kind == "class" or kind == "alias" or kind == "generic") and name or "any"] = true
    end
  end
end

-- Returns the types in an annotation; "" if it has none.
local function types_of(line)
  local kind, rest = line:match("^%s*%-%-%-@(%l+) (.*)$")
  if kind == "param" or kind == "field" then
    rest = rest:gsub("^%b[] ", ""):match("^%S+%s+(.*)$")
  elseif kind ~= "return" and kind ~= "type" and kind ~= "alias" then
    return ""
  end
  rest = kind == "alias" and rest:match("^%S+%s+(.*)$") or rest or ""
  rest = rest:gsub('"[^"]*"', " "):gsub("fun(%b())", function(arguments)
    return " " .. arguments:gsub("[%w_%.]+%??%s*:", " ") .. " "
  end):gsub("(%b{})", function(fields)
    return " " .. fields:gsub("[%w_]+%??%s*:", " ") .. " "
  end)
  -- The type ends at a space that does not follow | , : and is not within brackets.
  local out, depth = {}, 0
  for piece in rest:gmatch("%S+") do
    out[#out + 1] = piece
    local _, open = piece:gsub("[<%(%[{]", "")
    local _, shut = piece:gsub("[>%)%]}]", "")
    depth = depth + open - shut
    if depth <= 0 and not piece:find("[|,:]$") then
      break
    end
  end
  return table.concat(out, " ")
end

local function unknown_type(line)
  for name in types_of(line):gmatch("[%a_][%w_%.]*") do
    if not types[name] then
      return name
    end
  end
end

-- --- structs: `---@class C.NAME` and its fields, compared with abi.h

local structs = {}
for path in io.popen("ls engine/*/*/*abi.h"):lines() do
  local text = table.concat(lines_of(path), "\n"):gsub("%s*\\\n%s*", " ")
  for name in text:gmatch("typedef struct ([%w_]+) [%w_]+;") do
    structs[name] = ""
  end
  for name, members in text:gmatch("typedef struct ([%w_]+) (%b{})") do
    structs[name] = members
  end
  for name, members in text:gmatch(" S%(([%w_]+)%)(.-) [EP]%(%1%)") do -- a struct of ABI_STRUCTS
    structs[name] = members
  end
end

-- Returns the struct or member named by an annotation if it does not exist in C. `current`: the struct being read.
local function unknown_member(line, current)
  local field = structs[current] and line:match("^%-%-%-@field ([%w_]+)")
  if current and not structs[current] then
    return current
  elseif field and not structs[current]:find("%f[%w_]" .. field .. "%f[^%w_]") then
    return current .. "." .. field
  end
end

-- --- the check

local function check_function(module, name, found, complaints)
  local said, at = annotations(module.lines, found.at), 0
  local function complain(text, ...)
    local who = name == "" and "the module" or name
    complaints[#complaints + 1] = ("  %s:%d: %s: " .. text):format(module.path, found.at, who, ...)
  end
  for parameter in found.parameters:gmatch("[%w_%.]+") do
    if parameter ~= "_" then
      at = at + 1
      if said.order[at] ~= parameter then
        complain("no ---@param %s where it belongs", parameter)
        return
      end
    end
  end
  if said.order[at + 1] then
    complain("---@param %s is no parameter", said.order[at + 1])
  elseif said.returns == 0 and returns(module.lines, found.at) then
    complain("no ---@return")
  end
end

local checked, failed = 0, 0
for _, module in ipairs(modules) do
  local complaints = {}
  for name, found in pairs(exported(module.lines)) do
    if uses[module.name][name] then
      checked = checked + 1
      check_function(module, name, found, complaints)
    end
  end
  local struct
  for at, line in ipairs(module.lines) do
    struct = line:match("^%-%-%-@class C%.([%w_]+)") or line:find("^%-%-%-") and struct or nil
    local member = unknown_member(line, struct)
    if member then
      complaints[#complaints + 1] = ("  %s:%d: abi.h has no %s"):format(module.path, at, member)
    end
    local unknown = line:find("^%s*%-%-%-@") and unknown_type(line)
    if unknown then
      complaints[#complaints + 1] = ("  %s:%d: there is no type %s"):format(module.path, at, unknown)
    end
  end
  table.sort(complaints)
  print((#complaints == 0 and "ok " or "not ok ") .. module.path .. " annotates parameters and results")
  if #complaints > 0 then
    failed = failed + 1
    print(table.concat(complaints, "\n"))
  end
end
if arg[1] == "--count" then
  print(checked .. " functions")
end
os.exit(failed == 0 and 0 or 1)

-- Checks annotations for the Lua language server: luajit definitions.lua FILE…. Prints the problems that the server
-- would report: undeclared or malformed types, parameters that the function does not have, fields or classes declared
-- twice. Only the server can check games against the annotations. A name may be declared in any of the files.
-- https://luals.github.io/wiki/annotations
local files = { ... }
local BUILT_IN = {}
for name in ("nil any boolean string number integer function table thread userdata lightuserdata true false unknown "
  .. "self"):gmatch("%a+") do
  BUILT_IN[name] = true
end
local problems, declared, used = 0, {}, {}

local function report(at, format, ...)
  problems = problems + 1
  print(("%s:%d: "):format(at.file, at.line) .. format:format(...))
end

-- --- types

-- Reads a type at the start of `text` and records the names in it. Returns the rest of the text; raises an error if the
-- type is malformed.
local read_type

local function skip_spaces(text)
  return (text:gsub("^%s+", ""))
end

local function expect(text, what)
  text = skip_spaces(text)
  if text:sub(1, #what) ~= what then
    error(("expected “%s” before “%s”"):format(what, text:sub(1, 20)), 0)
  end
  return text:sub(#what + 1)
end

-- Calls `read` for each item of a comma-separated list. Returns the text after the closing bracket.
local function read_list(text, closing, read)
  text = skip_spaces(text)
  while text:sub(1, 1) ~= closing do
    text = skip_spaces(read(text))
    if text:sub(1, 1) ~= closing then
      text = skip_spaces(expect(text, ","))
    end
  end
  return text:sub(2)
end

local function read_named(at)
  return function(text)
    local rest = text:match("^%.%.%.(.*)") or text:match("^%[.-%](.*)") or text:match("^[%a_][%w_]*%??(.*)")
    if not rest then
      error(("expected a name, got “%s”"):format(text:sub(1, 20)), 0)
    end
    return skip_spaces(rest):sub(1, 1) == ":" and read_type(expect(rest, ":"), at) or rest
  end
end

local function read_function(text, at)
  text = read_list(expect(text, "("), ")", read_named(at))
  if not text:find("^%s*:") then
    return text
  end
  repeat -- a function type has one or more return types
    text = read_type(text:gsub("^%s*[:,]%s*", ""):gsub("^[%a_][%w_]*%s*:%s*", ""), at)
  until not text:find("^,")
  return text
end

local function read_one(text, at)
  text = skip_spaces(text)
  local first = text:sub(1, 1)
  if text:find("^fun%s*%(") then
    return read_function(text:sub(4), at)
  elseif first == "{" then
    return read_list(text:sub(2), "}", read_named(at))
  elseif first == "(" then
    return expect(read_type(text:sub(2), at), ")")
  elseif first == '"' or first == "'" then
    return text:match("^" .. first .. "[^" .. first .. "]*" .. first .. "(.*)") or error("unterminated string", 0)
  elseif text:find("^%.%.%.") then -- the vararg parameter "...", with an optional type
    return read_one(text:sub(4):gsub("^$", "any"), at)
  elseif text:find("^%-?%d") then
    return (text:gsub("^%-?[%d.]+", ""))
  end
  local name, rest = text:match("^([%a_][%w_.]*)(.*)")
  if not name then
    error(("expected a type, got “%s”"):format(text:sub(1, 20)), 0)
  end
  used[#used + 1] = { name = name, at = at }
  if rest:sub(1, 1) == "<" then
    return read_list(rest:sub(2), ">", function(inner) return read_type(inner, at) end)
  end
  return rest
end

function read_type(text, at)
  repeat
    text = read_one(text, at):gsub("^[%[%]?]+", "")
    local more = text:match("^%s*|(.*)")
    text = more or text
  until not more
  return text
end

local function check_type(text, at)
  local ok, problem = pcall(read_type, text, at)
  if not ok then
    report(at, "%s", problem)
  end
  return ok and problem or ""
end

-- --- annotations

local block -- the annotations above a declaration: { class, generics, params, fields }

local function declare_name(name, at)
  local before = declared[name]
  if before and before.file == at.file then -- a declaration in another file extends the class
    report(at, "%s is already declared in line %d", name, before.line)
  end
  declared[name] = declared[name] or { file = at.file, line = at.line, fields = {} }
  return declared[name]
end

local READ = {}

function READ.class(text, at)
  text = text:gsub("^%(%a+%)%s*", "")
  local name, parents = text:match("^([%w_.]+)%s*:?(.*)")
  local class = declare_name(name, at)
  block.class = class
  for parent in (text:match("^[%w_.]+%s*:%s*([%w_., ]+)") and parents or ""):gmatch("[%w_.]+") do
    used[#used + 1] = { name = parent, at = at }
  end
end

function READ.alias(text, at)
  local name, type_text = text:match("^([%w_.]+)%s*(.*)")
  declare_name(name, at)
  if type_text ~= "" then
    check_type(type_text, at)
  end
end

function READ.field(text, at)
  text = text:gsub("^private%s+", ""):gsub("^protected%s+", "")
  local name, type_text = text:match("^([%w_]+)%??%s+(.*)")
  if not name then
    name, type_text = text:match("^(%b[])%??%s+(.*)")
  end
  if not name then
    return report(at, "expected a field, got “%s”", text)
  elseif not block.class then
    return report(at, "the field %s follows no @class", name)
  end
  local key = at.file .. " " .. name
  local is_call = type_text:find("^fun") -- a function may have several signatures
  if block.class.fields[key] and not is_call then
    report(at, "the field %s is already declared in line %d", name, block.class.fields[key])
  end
  block.class.fields[key] = at.line
  check_type(type_text, at)
end

function READ.param(text, at)
  local name, type_text = text:match("^([%w_.]+)%??%s+(.*)")
  if not name then
    return report(at, "expected a parameter, got “%s”", text)
  end
  block.params[#block.params + 1] = { name = name, at = at }
  check_type(type_text, at)
end

function READ.generic(text)
  for name in text:gmatch("([%a_][%w_]*)%s*[:,]?") do
    block.generics[name] = true
  end
end

READ["return"] = function(text, at)
  local rest
  repeat -- a list of TYPE [name]
    rest = check_type(text, at)
    text = rest:match("^%s*[%a_][%w_]*%s*,%s*(.*)") or rest:match("^%s*,%s*(.*)")
  until not text
end
READ.type, READ.overload, READ.cast = check_type, check_type, nil
function READ.operator(text, at)
  local given = text:match("^%a+(%b())")
  if given then
    check_type(given:sub(2, -2), at)
  end
  check_type(text:gsub("^%a+%b()", ""):gsub("^%a+", ""):gsub("^%s*:", ""), at)
end
for _, name in ipairs { "meta", "diagnostic", "deprecated", "nodiscard", "see", "version" } do
  READ[name] = function() end
end

-- Checks the parameters in the annotations against the function below them.
local function check_parameters(line, at)
  local list = line:match("^%s*function%s+[%w_.:]+%s*(%b())") or line:match("=%s*function%s*(%b())")
  local has = {}
  for name in (list or ""):gmatch("[%a_][%w_]*") do
    has[name] = true
  end
  has["..."] = list and list:find("...", 1, true) and true
  for _, param in ipairs(block.params) do
    if not list then
      report(param.at, "no function follows the parameter %s", param.name)
    elseif not has[param.name] then
      report(param.at, "the function has no parameter %s", param.name)
    end
  end
end

local function new_block(first)
  return { params = {}, generics = {}, first = first }
end

local function read_file(file)
  local number = 0
  block = new_block(#used)
  for line in io.lines(file) do
    number = number + 1
    local at = { file = file, line = number }
    local word, text = line:match("^%s*%-%-%-@(%a+)%s*(.*)")
    if word and READ[word] then
      READ[word](text, at)
    elseif word then
      report(at, "unknown annotation @%s", word)
    elseif not line:find("^%s*%-%-%-") then
      check_parameters(line, at)
      for i = block.first + 1, #used do
        used[i].generics = block.generics
      end
      block = new_block(#used)
    end
  end
end

for _, file in ipairs(files) do
  local ok, problem = loadfile(file)
  if not ok then
    problems = problems + 1
    print(problem)
  end
  read_file(file)
end
for _, use in ipairs(used) do
  if not (BUILT_IN[use.name] or declared[use.name] or use.generics and use.generics[use.name]) then
    report(use.at, "unknown type %s", use.name)
  end
end
os.exit(problems == 0 and #used > 100 and 0 or 1)

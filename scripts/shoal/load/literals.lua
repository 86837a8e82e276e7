-- Checks literals in a game's code at load time: unknown names in calls to e:enter and e:child, and component values
-- that cannot have the intended effect (world/declared_values.lua). Otherwise such a mistake would be reported only
-- when the code runs, for example when a scene starts or a sequence reaches a step. load/code_names.lua checks all
-- other names.
local need, native = ...
local report = need("base/report")
local scope = need("base/scope")
local components = need("schema/component")
local assemblage = need("world/assemblage")
local declared_values = need("world/declared_values")
local entity_variables = need("load/entity_variables")

local M = {}

-- Functions whose table arguments contain components. In other tables, the same names may mean something else.
local TAKES_COMPONENTS = { spawn = true, spawn_many = true, define = true, add = true, set = true }
local VALUE_ENDS = { [","] = true, [";"] = true, ["}"] = true }

-- Returns the text of a string token; nil for other tokens, and for strings with escapes other than \n.
local function parse_string(token)
  local text = token and (token:match("^\"(.*)\"$") or token:match("^'(.*)'$"))
  return text and not text:find("\\[^n]") and text:gsub("\\n", "\n") or nil
end

-- Returns the name that belongs to the table constructor at token i: the key to which it is assigned, or the preceding
-- string argument, as in e:set("button", { … }); nil if there is neither.
local function find_key_before(tokens, i)
  if tokens[i - 1] == "=" then
    return tokens[i - 2] == "]" and parse_string(tokens[i - 3]) or tokens[i - 2]
  end
  return tokens[i - 1] == "," and tokens[i - 3] == "(" and parse_string(tokens[i - 2]) or nil
end

-- Returns the component whose fields the innermost open table constructor contains, or nil if it contains no fields of
-- a component. The constructor can also belong to an instance of a `many` component.
local function find_component(open)
  local innermost, enclosing = open[#open], open[#open - 1]
  local component = innermost and components.by_name[innermost.key]
  if not component and enclosing and enclosing.key and components.by_name[enclosing.key] then
    component = components.by_name[enclosing.key].kind == "many" and components.by_name[enclosing.key] or nil
  end
  return component
end

local function parse_literal(token, is_negative)
  if token and token:find("^%.?%d") then
    local v = tonumber(token)
    return v and (is_negative and -v or v)
  end
  return not is_negative and parse_string(token) or nil
end

-- Checks `field = literal` in a table constructor. `i`: the token of the field's name.
local function check_field(code, i, open)
  local tokens, is_negative = code.tokens, code.tokens[i + 2] == "-"
  local value_index = is_negative and i + 3 or i + 2
  local component = VALUE_ENDS[tokens[value_index + 1]] and find_component(open)
  local v = component and parse_literal(tokens[value_index], is_negative)
  if v and (type(v) == "string" or open[#open].takes_components) then
    local value = tokens[i] == "bind" and scope.value("path", v) or v
    local problem, is_error = declared_values.find_problem(component, tokens[i], value)
    if problem then
      declared_values.report(code.file, code.lines[i], problem, is_error and open[#open].takes_components)
    end
  end
end

-- Returns the first argument of the call to the function named by token i if it is a string literal, otherwise nil.
local function parse_first_argument(tokens, i)
  local is_bracketed = tokens[i + 1] == "("
  local v = parse_string(tokens[is_bracketed and i + 2 or i + 1])
  local next_token = is_bracketed and tokens[i + 3]
  return v and (not is_bracketed or next_token == ")" or next_token == ",") and v or nil
end

-- Checks the argument of e:enter and e:child. `allowed`: accepted names, indexed by method.
local function check_method(code, i, allowed)
  local method = code.tokens[i]
  local name = code.tokens[i - 1] == ":" and parse_first_argument(code.tokens, i)
  if name and allowed[method] and not allowed[method][name] then
    declared_values.warn(code.file, code.lines[i], string.format("e:%s: no assemblage has a %s %q%s", method,
      method == "enter" and "state" or "child", name, report.hint(name, allowed[method])))
  end
end

local IS_HANDLED = { ["{"] = true, ["}"] = true, ["("] = true, [")"] = true, enter = true, child = true }

local function check_file(file, source, allowed)
  local tokens, lines = native.tokens(source)
  entity_variables.check(file, tokens, lines)
  local code = { file = file, tokens = tokens, lines = lines }
  local open, calls = {}, 0 -- open table constructors; the number of open calls that take components
  local brackets = {}
  for i = 1, #tokens do
    local token = tokens[i]
    if not IS_HANDLED[token] then
      if token == "=" and #open > 0 and not IS_HANDLED[tokens[i - 1]] then
        check_field(code, i - 1, open)
      end
    elseif token == "{" then
      open[#open + 1] = { key = find_key_before(tokens, i), takes_components = calls > 0 }
    elseif token == "}" then
      open[#open] = nil
    elseif token == "(" then
      brackets[#brackets + 1] = TAKES_COMPONENTS[tokens[i - 1]] and 1 or 0
      calls = calls + brackets[#brackets]
    elseif token == ")" then
      calls = calls - (table.remove(brackets) or 0)
    else
      check_method(code, i, allowed)
    end
  end
end

-- Adds the names in `list` ("states" or "children") of the assemblages and, recursively, of their children.
local function add_names(list, assemblages, out)
  for _, template in pairs(assemblages) do
    for name in pairs(template[list]) do
      out[name] = true
    end
    add_names(list, template.children, out)
  end
end

-- Returns the names of the states or the children of all assemblages, which e:enter and e:child accept. Returns nil if
-- names cannot be checked, because the game has none, defines assemblages at run time, or defines functions named like
-- the method.
local function collect_names(list, method, sources)
  local out = {}
  add_names(list, assemblage.resolved, out)
  for file, source in pairs(next(out) and sources or {}) do
    local has_method = source:find(method, 1, true) -- plain search first: the patterns below are slow
    local has_field = has_method and not file:find("^systems/")
      and source:find("%f[%w_]" .. method .. "%s*=%s*function")
    if source:find("world.define", 1, true) or has_field
      or has_method and source:find("function%s+[%w_.]+[.:]" .. method .. "%f[^%w_]") then
      return nil
    end
  end
  return next(out) and out
end

-- Checks all Lua files of the game, except those in assets/ and those that do not compile.
---@param invalid_files table<string, string> file that does not compile → the compiler's message
function M.check(invalid_files)
  local sources, files = {}, {}
  for _, file in ipairs(native.game_files()) do
    local is_checked = file:find("%.lua$") and not file:find("^assets/") and not invalid_files[file]
    local source = is_checked and native.source(file)
    if source then
      sources[file], files[#files + 1] = source, file
    end
  end
  local allowed = { enter = collect_names("states", "enter", sources),
    child = collect_names("children", "child", sources) }
  for _, file in ipairs(files) do
    scope.set(scope.find_addon_of_file(file))
    check_file(file, sources[file], allowed)
    scope.set(false)
  end
end

return M

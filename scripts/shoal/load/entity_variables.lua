-- Warns at load time about two mistakes with variables that hold entities, which raise no error when the code runs:
-- methods that are read but not called, such as e.state == "idle", which is always false, and loops over world.each
-- with two variables, because the second variable is always nil.
local need = ...
local schema = need("schema/schema")
local declared_values = need("world/declared_values")

local M = {}

-- Functions whose first argument is an entity, by the folder of the file and the key to which they are assigned.
local CALLBACKS = {
  systems = { each = true, enter = true, leave = true, changed = true },
  sequences = { call = true, wait_for = true },
}
local RETURNS_ENTITY = { find = true, nearest = true, spawn = true } -- functions of `world` that return an entity
-- Keywords that open or close a block or declare variables.
local KEYWORDS = { ["do"] = "open", ["if"] = "open", ["repeat"] = "open", ["end"] = "close", ["until"] = "close",
  ["function"] = "function", ["for"] = "for", ["local"] = "local" }
local COMPARES = { ["=="] = true, ["~="] = true, ["not"] = true }
-- Tokens after a method name for which no warning is needed: the method is called, passed or assigned, or the code
-- raises an error when it runs.
local ALLOWED_AFTER_METHOD = { ["("] = true, ["{"] = true, [","] = true, [")"] = true, ["="] = true, ["."] = true,
  ["["] = true, [":"] = true }
local METHODS = {}
for _, name in ipairs(schema.entity_methods) do
  METHODS[name] = true
end
local TAKES_ARGUMENTS = { has = true, add = true, set = true, remove = true, enter = true, child = true, send = true }

local function is_string(token)
  return token and token:find("^[\"'%[]") ~= nil and #token > 1
end

local function warn(code, i, ...)
  declared_values.warn(code.file, code.lines[i], string.format(...))
end

-- Returns the index of the first token after the call whose opening bracket is token i.
local function skip_call(tokens, i)
  if is_string(tokens[i]) then
    return i + 1
  end
  local depth = 0
  repeat
    local token = tokens[i]
    depth = depth + ((token == "(" or token == "{") and 1 or (token == ")" or token == "}") and -1 or 0)
    i = i + 1
  until depth == 0 or not tokens[i]
  return i
end

-- Returns true if the expression at token i is an entity: world.find(…), world.spawn(…), self.entity.
local function is_entity(tokens, i)
  local next_index
  if tokens[i] == "world" and tokens[i + 1] == "." and RETURNS_ENTITY[tokens[i + 2]] then
    next_index = skip_call(tokens, i + 3)
  elseif tokens[i] == "self" and tokens[i + 1] == "." and tokens[i + 2] == "entity" then
    next_index = i + 3
  end
  return next_index ~= nil and not (tokens[next_index] or ""):find("^[.:%[(]")
end

-- Returns the names of a list that begins at token i, such as `a, b`, and the index after the list.
---@param tokens string[]
---@param i integer
---@return string[] names
---@return integer index
function M.read_names(tokens, i)
  local names = {}
  while tokens[i] and tokens[i]:find("^[%a_]") do
    names[#names + 1] = tokens[i]
    i = i + 1
    if tokens[i] ~= "," then
      break
    end
    i = i + 1
  end
  return names, i
end

-- Returns the scope of a function's parameters: name → true if the parameter is an entity. `i`: token `function`.
local function read_parameters(code, i)
  local tokens, index, is_entity_parameter = code.tokens, i, {}
  while tokens[index] and tokens[index] ~= "(" do
    index = index + 1
  end
  local names = M.read_names(tokens, index + 1)
  for k, name in ipairs(names) do
    is_entity_parameter[name] = k == 1 and tokens[i - 1] == "=" and code.callbacks[tokens[i - 2]] or false
    code.has_held_entity[name] = code.has_held_entity[name] or is_entity_parameter[name]
  end
  return is_entity_parameter
end

-- Returns the scope of a loop's variables. `i`: token `for`.
local function create_loop_scope(code, i)
  local tokens, variables = code.tokens, {}
  local names, index = M.read_names(tokens, i + 1)
  local is_each = tokens[index] == "in" and tokens[index + 1] == "world" and tokens[index + 3] == "each"
  for _, name in ipairs(names) do
    variables[name] = is_each and #names == 1
    code.has_held_entity[name] = code.has_held_entity[name] or variables[name]
  end
  if is_each and #names > 1 then
    warn(code, i, "world.each returns one value, so %s is always nil: write for %s in world.each(…)", names[2],
      names[#names])
  end
  return variables
end

-- Records the variables of a `local` statement in the scope. `i`: token `local`.
local function add_locals(code, i, scope)
  local names, index = M.read_names(code.tokens, i + 1)
  for _, name in ipairs(names) do
    scope[name] = #names == 1 and code.tokens[index] == "=" and is_entity(code.tokens, index + 1)
    code.has_held_entity[name] = code.has_held_entity[name] or scope[name]
  end
end

local function find_variable(scopes, name)
  for k = #scopes, 1, -1 do
    if scopes[k][name] ~= nil then
      return scopes[k], scopes[k][name]
    end
  end
end

-- Checks the use of an entity named by the tokens from `first_token` to i.
local function check_use(code, first_token, i)
  local tokens, method, next_token = code.tokens, code.tokens[i + 2], code.tokens[i + 3]
  if tokens[i + 1] ~= "." or not METHODS[method] then
    return
  end
  local is_called = next_token == "(" or next_token == "{" or is_string(next_token)
  if not is_called and (not ALLOWED_AFTER_METHOD[next_token] or COMPARES[tokens[first_token - 1]]) then
    local name = table.concat(tokens, "", first_token, i)
    warn(code, i, "%s.%s is a function, not a value: write %s:%s(%s)", name, method, name, method,
      TAKES_ARGUMENTS[method] and "…" or "")
  end
end

local function check_name(code, i, scopes)
  local tokens, previous_token = code.tokens, code.tokens[i - 1]
  if previous_token == "." and tokens[i] == "entity" and tokens[i - 2] == "self" and tokens[i - 3] ~= "." then
    check_use(code, i - 2, i)
  elseif previous_token ~= "." and previous_token ~= ":" and previous_token ~= "local" then
    local scope, holds_entity = find_variable(scopes, tokens[i])
    if holds_entity and tokens[i + 1] == "=" then -- a new value, which need not be an entity
      scope[tokens[i]] = false
    elseif holds_entity then
      check_use(code, i, i)
    end
  end
end

-- Warns about both mistakes in a file. `tokens`, `lines`: results of native.tokens.
---@param file string
---@param tokens string[]
---@param lines integer[]
function M.check(file, tokens, lines)
  local code = { file = file, tokens = tokens, lines = lines, callbacks = CALLBACKS[file:match("^[^/]+")] or {},
    has_held_entity = {} } -- set of the names of all variables that have held an entity
  local scopes, loop = { {} }, nil -- one scope per open block: name → true if the variable holds an entity
  local has_held_entity = code.has_held_entity
  for i = 1, #tokens do
    local token = tokens[i]
    local keyword = KEYWORDS[token]
    if not keyword then
      if has_held_entity[token] or token == "entity" then
        check_name(code, i, scopes)
      end
    elseif keyword == "function" then
      scopes[#scopes + 1] = read_parameters(code, i)
    elseif keyword == "for" then
      loop = create_loop_scope(code, i)
    elseif keyword == "open" then
      scopes[#scopes + 1] = token == "do" and loop or {}
      loop = token ~= "do" and loop or nil
    elseif keyword == "close" then
      scopes[#scopes] = nil
    else
      add_locals(code, i, scopes[#scopes])
    end
  end
end

return M

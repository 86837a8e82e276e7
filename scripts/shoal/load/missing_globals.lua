-- Decides, when a file is loaded, which unknown globals its code may use as nil, and reports all other unknown globals.
-- Libraries test for globals that Shoal lacks, as in `if jit then`, and copy them, as in `local common = common`: in
-- required files, tests and copies are accepted for all names. In the files of a game, misspelled names must be errors.
local need, native = ...
local bytecode = need("compile/bytecode")
local global_uses = need("compile/global_uses")
local report = need("base/report")
local scope = need("base/scope")
local state = need("base/vm_state")
local entity_variables = need("load/entity_variables")
local sandbox = need("load/sandbox")
local advice = need("messages/advice")
local components = need("schema/component")
local declared_values = need("world/declared_values")

local M = {}

-- Globals of other programs and versions of Lua. All files may test them, and required files may also read them.
local OPTIONAL = {}
for name in ([[_ENV arg bit32 debug dofile getfenv io jit loadfile love module newproxy ngx os package rawlen setfenv
  warn]]):gmatch("%S+") do
  OPTIONAL[name] = true
end

-- Adds the comma-separated names that start at token `i` to the set `out`.
local function add_names(out, tokens, i)
  for _, name in ipairs((entity_variables.read_names(tokens, i))) do
    out[name] = true
  end
end

-- Returns a set with the names of the locals and parameters that a file declares.
local function collect_locals(text)
  local out, tokens = {}, native.tokens(text)
  for i, token in ipairs(tokens) do
    if token == "local" then
      add_names(out, tokens, tokens[i + 1] == "function" and i + 2 or i + 1)
    elseif token == "for" then
      add_names(out, tokens, i + 1)
    elseif token == "function" then
      local open = i + 1
      while tokens[open] and tokens[open] ~= "(" do
        open = open + 1
      end
      add_names(out, tokens, open + 1)
    end
  end
  return out
end

---@class engine.MissingGlobalFile
---@field file string
---@field text string
---@field is_required boolean
---@field addon engine.Addon|false
---@field locals? table<string, boolean>

local function get_locals(at)
  at.locals = at.locals or collect_locals(at.text)
  return at.locals
end

-- Returns true if a global, a local of the file or a component has a similar name.
local function has_similar_name(at, name)
  return (report.find_nearest(name, sandbox.env) or report.find_nearest(name, get_locals(at))
    or report.find_nearest(name, components.by_name)) ~= nil
end

local function is_allowed(at, use)
  return at.is_required and (OPTIONAL[use.name] or not use.read_line)
    or OPTIONAL[use.name] and not use.copy_line and not use.read_line
end

-- Warns about an unknown global that the file uses as nil, if the name may be misspelled.
local function warn_of_nil(at, use)
  if not OPTIONAL[use.name] and not state.tests and (use.copy_line or has_similar_name(at, use.name)) then
    local line = math.min(use.copy_line or math.huge, use.test_line or math.huge)
    declared_values.warn(at.file, line, string.format("unknown global %s is nil%s", use.name,
      advice.find_global_hint(use.name, sandbox.env, components.by_name, get_locals(at))))
  end
end

-- Reports an unknown global. In a file of the game, this is an error. In a library or an add-on, it is a warning,
-- because functions that do not use the global may work.
local function report_unknown(at, name, line)
  local hint = advice.find_global_hint(name, sandbox.env, components.by_name, get_locals(at))
  if not at.is_required and not at.addon then
    report.fail { message = string.format("unknown global %s%s", name, hint), file = at.file, line = line,
      piece = at.file }
  elseif not state.tests then
    declared_values.warn(at.file, line, string.format("unknown global %s (raises an error when the line runs)%s", name,
      hint))
  end
end

-- Returns the optional globals that the file may read without an error: all of them if a library tests computed names,
-- as in type(_G[name]), otherwise none.
local function list_allowed(at, chunk)
  local out = {}
  if at.is_required and at.text:find("_G", 1, true) and global_uses.tests_computed_names(chunk) then
    for name in pairs(OPTIONAL) do
      out[name] = true
    end
  end
  return out
end

local function get_line(use)
  return math.min(use.read_line or math.huge, use.copy_line or math.huge, use.test_line or math.huge)
end

-- Checks the globals that the file's code uses. Throws an error at the first unknown global in a file of the game.
-- Returns the environment for the chunk: the globals of game files, in which allowed unknown globals are nil.
---@param chunk function
---@param file string
---@param text string
---@param is_required boolean the file is loaded by `require`
---@return table environment
function M.check(chunk, file, text, is_required)
  if not bytecode.is_known then
    return sandbox.game
  end
  local at = { file = file, text = text, is_required = is_required, addon = scope.find_addon_of_file(file) }
  local uses = global_uses.find_missing(chunk, sandbox.is_global, sandbox.PROBED_GLOBALS)
  local allowed, unknown = list_allowed(at, chunk), {}
  for _, use in ipairs(uses) do
    if is_allowed(at, use) then
      allowed[use.name] = true
      if get_line(use) > 0 then -- packaged games have no line numbers: their code was checked before
        warn_of_nil(at, use)
      end
    elseif get_line(use) > 0 then
      unknown[#unknown + 1] = use
    end
  end
  table.sort(unknown, function(a, b)
    local line_a, line_b = get_line(a), get_line(b)
    return line_a < line_b or line_a == line_b and a.name < b.name
  end)
  for _, use in ipairs(unknown) do
    report_unknown(at, use.name, use.read_line or use.copy_line or use.test_line)
  end
  return next(allowed) and sandbox.create_environment(allowed) or sandbox.game
end

return M

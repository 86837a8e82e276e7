-- Actions: input.lua maps names to keys, buttons and axes; systems ask for names only. Values come from the tick's
-- input sample.
local need, native = ...
local abi, report, state = need("abi"), need("report"), need("state")
local ffi, C = abi.ffi, abi.C

---@class engine.Action
---@field list ffi.cdata*[] input_binding_t each
---@field negative ffi.cdata*[]
---@field positive ffi.cdata*[]

---@class engine.input
---@field actions table<string, engine.Action>
---@field api shoal.Input
local M = { actions = {} }
local PARTS = { axis = true, negative = true, positive = true }

local function binding(text, fail)
  local out = ffi.new("input_binding_t")
  if type(text) ~= "string" or not C.input_parse(text, out) then
    local near = type(text) == "string" and native.input_similar(text)
    fail(text, "%s is no key, button or axis (key:up, pad:a, pad:leftx, mouse:left, wheel:up)%s", report.plain(text),
      near and ": did you mean " .. near .. "?" or "")
  end
  return out
end

local function bindings(list, fail)
  local out = {}
  for i, text in ipairs(type(list) == "table" and list or { list }) do
    out[i] = binding(text, fail)
  end
  return out
end

-- declaration: what input.lua returned. at: { file, text }
---@param declaration any
---@param at engine.At
function M.read(declaration, at)
  if type(declaration) ~= "table" then
    report.fail { message = "input.lua must return a table: return { fire = { \"key:space\", \"pad:a\" } }",
      file = at.file, line = 1, piece = "input.lua" }
  end
  for name, list in pairs(declaration) do
    local function fail(text, message, ...)
      report.fail { message = report.plain(name) .. ": " .. string.format(message, ...), file = at.file,
        line = report.line_of(at.text, name, text), piece = "action " .. report.plain(name) }
    end
    if type(name) ~= "string" then
      report.fail { message = "every action has a name: return { fire = { \"key:space\" } }", file = at.file, line = 1,
        piece = "input.lua" }
    end
    local action = { list = {}, negative = {}, positive = {} }
    if type(list) == "table" and #list == 0 then
      for part in pairs(list) do
        if not PARTS[part] then
          fail(part, "an axis has no part %s%s: there are axis, negative and positive", report.plain(part),
            report.aside(part, PARTS))
        end
      end
      action.list = bindings(list.axis or {}, fail)
      action.negative, action.positive = bindings(list.negative or {}, fail), bindings(list.positive or {}, fail)
    else
      action.list = bindings(list, fail)
    end
    M.actions[name] = action
  end
end

local function present()
  if state.loading then
    report.complain("input is not there while files are loaded: ask for it in a system")
  end
end

local function find(name)
  present()
  local action = M.actions[name]
  if not action then
    local is_key = type(name) == "string" and name:find(":", 1, true)
    report.complain("there is no action %s in input.lua%s: there are %s%s", report.plain(name),
      report.aside(name, M.actions), report.names(M.actions),
      is_key and "; input.lua gives keys a name, jump = \"" .. name .. "\"" or "")
  end
  return action
end

local function sum(sample, list)
  local total = 0
  for i = 1, #list do
    total = total + C.input_value(sample, list[i])
  end
  return total
end

local function value(sample, action)
  local total = sum(sample, action.list) + sum(sample, action.positive) - sum(sample, action.negative)
  return (math.max(-1, math.min(1, total)))
end

local function is_down(sample, action)
  return math.abs(value(sample, action)) > 0.5
end

M.api = {
  down = function(name)
    return is_down(abi.input, find(name))
  end,
  pressed = function(name)
    local action = find(name)
    return is_down(abi.input, action) and not is_down(abi.input_before, action)
  end,
  released = function(name)
    local action = find(name)
    return not is_down(abi.input, action) and is_down(abi.input_before, action)
  end,
  axis = function(name)
    return value(abi.input, find(name))
  end,
  mouse = function()
    present()
    return abi.input.mouse_x, abi.input.mouse_y
  end,
}

return M

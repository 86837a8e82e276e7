-- Actions: input.lua maps names to keys, buttons and axes; systems ask for names only. Values come from the tick's input sample.
local need = ...
local abi, report = need("abi"), need("report")
local ffi, C = abi.ffi, abi.C

local M = { actions = {} }
local PARTS = { axis = true, negative = true, positive = true }

local function binding(text, fail)
  local out = ffi.new("input_binding_t")
  if type(text) ~= "string" or not C.input_parse(text, out) then
    fail(text, "%s is no key, button or axis (key:up, pad:a, pad:leftx, mouse:left, wheel:up)", report.plain(text))
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
function M.read(declaration, at)
  if type(declaration) ~= "table" then
    report.fail { message = "input.lua must return a table: return { fire = { \"key:space\", \"pad:a\" } }", file = at.file, line = 1,
      piece = "input.lua" }
  end
  for name, list in pairs(declaration) do
    local function fail(text, message, ...)
      report.fail { message = report.plain(name) .. ": " .. string.format(message, ...), file = at.file,
        line = report.line_of(at.text, name, text), piece = "action " .. report.plain(name) }
    end
    local action = { list = {}, negative = {}, positive = {} }
    if type(list) == "table" and #list == 0 then
      for part in pairs(list) do
        if not PARTS[part] then
          fail(nil, "an axis has no part %s: there are axis, negative and positive", report.plain(part))
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

local function find(name)
  local action = M.actions[name]
  if not action then
    report.complain("there is no action %s in input.lua: there are %s", report.plain(name), report.names(M.actions))
  end
  return action
end

local function sum(state, list)
  local total = 0
  for i = 1, #list do
    total = total + C.input_value(state, list[i])
  end
  return total
end

local function value(state, action)
  local total = sum(state, action.list) + sum(state, action.positive) - sum(state, action.negative)
  return math.max(-1, math.min(1, total))
end

local function is_down(state, action)
  return math.abs(value(state, action)) > 0.5
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
    return abi.input.mouse_x, abi.input.mouse_y
  end,
}

return M

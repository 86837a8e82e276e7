-- e:send("hit", { power = 3 }): a message to one entity's behaviour. It travels as an event of the world (so it is
-- saved, replayed and survives a reload), its values as text: a table of numbers, texts, truths, entities and tables of
-- these.
local need, native = ...
local event, handle, report = need("event"), need("handle"), need("report")

---@class engine.message
---@field EVENT string
---@field heard table<string, boolean> names that a behaviour has a handler for
local M = { EVENT = "shoal.message", heard = {} }
local said = {}

-- A name that no behaviour hears is said once.
local function check_heard(name)
  if M.heard[name] or said[name] or native.worker then
    return
  end
  said[name] = true
  native.log("warn", string.format("%se:send: no behaviour has on.%s%s", report.placed(""), report.plain(name),
    report.hint(name, M.heard)))
end

local function encode(v, depth)
  local kind = type(v)
  if kind == "number" then
    return v == v and v ~= 1 / 0 and v ~= -1 / 0 and string.format("n%.17g;", v) or "n0;"
  elseif kind == "string" then
    return "s" .. #v .. ":" .. v
  elseif kind == "boolean" then
    return v and "t" or "f"
  elseif kind == "userdata" and handle.id(v) then
    return "e" .. handle.id(v) .. ";"
  elseif kind == "table" and depth < 8 then
    local keys = {}
    for key in pairs(v) do
      if type(key) ~= "string" and type(key) ~= "number" then
        report.complain("e:send: the keys of a message are texts or numbers, not %s", type(key))
      end
      keys[#keys + 1] = key
    end
    table.sort(keys, function(a, b)
      if type(a) ~= type(b) then
        return type(a) == "number"
      end
      return a < b
    end)
    local out = {}
    for _, key in ipairs(keys) do
      out[#out + 1] = encode(key, depth) .. encode(v[key], depth + 1)
    end
    return "{" .. table.concat(out) .. "}"
  end
  report.complain("e:send: a message holds numbers, texts, truths, entities and tables, not %s", kind)
end

local function decode(body, at)
  local kind = body:sub(at, at)
  if kind == "n" or kind == "e" then
    local digits, stop = body:match("^([^;]*);()", at + 1)
    local number = tonumber(digits) --[[@as integer]]
    return kind == "n" and number or handle.handle(number), stop
  elseif kind == "s" then
    local length, from = body:match("^(%d+):()", at + 1)
    return body:sub(from, from + length - 1), from + length
  elseif kind == "{" then
    local out = {}
    at = at + 1
    while body:sub(at, at) ~= "}" do
      local key
      key, at = decode(body, at)
      out[key], at = decode(body, at)
    end
    return out, at + 1
  end
  return kind == "t", at + 1
end

---@param id integer
---@param name any
---@param values? any
function M.send(id, name, values)
  if type(name) ~= "string" then
    report.complain("e:send takes the message's name, a text, not %s", type(name))
  end
  check_heard(name)
  event.emit(M.EVENT, { to = handle.handle(id), name = name, body = encode(values == nil and {} or values, 0) })
end

---@param body string
---@return any
function M.values(body)
  return (decode(body, 1))
end

return M

-- e:send("hit", { power = 3 }): a message to one entity's behaviour. It travels as an event of the world (so it is
-- saved, replayed and survives a reload), its values as text: a table of numbers, texts, truths, entities and tables of
-- these.
local need, native = ...
local handle = need("base/handle")
local packed = need("base/packed")
local report = need("base/report")
local event = need("world/event")

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

---@param id integer
---@param name any
---@param values? any
function M.send(id, name, values)
  if type(name) ~= "string" then
    report.complain("e:send takes the message's name, a text, not %s", type(name))
  end
  check_heard(name)
  event.emit(M.EVENT, { to = handle.handle(id), name = name, body = packed.encode(values == nil and {} or values) })
end

return M

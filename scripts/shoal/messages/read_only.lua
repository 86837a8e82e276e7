-- Creates a read-only view of an engine table for scripts. Reading an unknown name and assigning to any name raise
-- errors.
local need = ...
local phases = need("base/phases")
local report = need("base/report")
local api_hints = need("messages/api_hints")

---@param t table
---@param label string name of the table in messages: "shoal.plugins"
---@return table
return function(t, label)
  phases.require_rows(label .. ".", t)
  local view = setmetatable({}, {
    __index = function(_, name)
      local v = t[name]
      if v == nil then
        report.raise("%s has no %s%s; available: %s", label, report.show(name), api_hints.suggest(label, name, t),
          report.join_names(t))
      end
      return v
    end,
    __newindex = function(_, name)
      report.raise("%s.%s cannot be assigned: %s is read-only", label, report.show(name), label)
    end,
    __metatable = false,
  })
  report.tables[view] = label
  return view
end

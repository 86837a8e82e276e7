-- Creates a read-only view of an engine table for scripts. Reading an unknown name and assigning to any name raise
-- errors.
local need = ...
local phases = need("base/phases")
local report = need("base/report")
local api_hints = need("messages/api_hints")

---@param t table
---@param what string "shoal.plugins"
---@return table
return function(t, what)
  phases.require_rows(what .. ".", t)
  local shown = setmetatable({}, {
    __index = function(_, name)
      local v = t[name]
      if v == nil then
        report.raise("%s has no %s%s; available: %s", what, report.plain(name), api_hints.suggestion(what, name, t),
          report.join_names(t))
      end
      return v
    end,
    __newindex = function(_, name)
      report.raise("%s.%s cannot be assigned: %s is read-only", what, report.plain(name), what)
    end,
    __metatable = false,
  })
  report.tables[shown] = what
  return shown
end

-- Writes through entities in native code; rows that write a value out of range exit to Lua.
local values = require "values"
return { after = "c_columns", query = { "stat", "source" }, each = function(e, dt)
  e.stat.f = e.stat.f + e.source.n * dt
  e.stat.v.y = e.source.m
  e.stat.d = e.stat.d + e.stat.f
end, on = { hit = function() values.check("after c_columns") end } }

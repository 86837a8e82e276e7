-- luacheck: read globals reachability
local only = require("lib.only")
return { { call = function(e)
  if only("sequence") then reachability.walk("sequence", { e = e }) end
end } }

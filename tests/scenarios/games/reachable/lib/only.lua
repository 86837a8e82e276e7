-- Returns the value of a setting in lib/settings.lua; true for every place if `all` is set.
local settings = require("lib.settings")
return function(name)
  return settings[name] or settings.all and name ~= "fuzz"
end

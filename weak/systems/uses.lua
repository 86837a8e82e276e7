local Class = require("lib.class")
return { query = { "motion" }, each = function(e)
  local object = Class.new(7)
  for i = 1, 20000 do object[i] = { i } end
  local count = 0
  for i = 1, 20000 do count = count + (object[i] and 1 or 0) end
  e.motion.vx = count + object.held[1]
end }

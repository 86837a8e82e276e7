-- Records the events `painted` for cases/record.lua.
local seen = require("lib.seen")

return {
  on = {
    painted = function(ev)
      for i = 1, ev.count do
        seen.note("painted", ev.colors.r[i], ev.colors.g[i])
      end
    end,
  },
}

local seen = require("lib.seen")

return {
  on = {
    collision = function(ev)
      for i = 1, seen.want.cancel_contacts and ev.count or 0 do
        ev.cancelled[i] = true
      end
    end,
  },
}

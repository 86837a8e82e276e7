-- Records contacts as tables, including cancelled ones.
local seen = require("lib.seen")

return {
  after = "contacts_cancel",
  on = {
    collision = function(ev)
      for i = 1, seen.want.contacts and ev.count or 0 do
        table.insert(seen.contacts, { a = ev.a[i], b = ev.b[i], x = ev.x[i], y = ev.y[i], nx = ev.nx[i], ny = ev.ny[i],
          depth = ev.depth[i], cancelled = ev.cancelled[i] })
      end
    end,
  },
}

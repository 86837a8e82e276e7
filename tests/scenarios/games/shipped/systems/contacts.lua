local contacts = require "contacts"

return {
  priority = -1,
  on = {
    contact_begin = function(ev)
      for i = 1, ev.count do
        table.insert(contacts.begun, { a = ev.a[i], b = ev.b[i], x = ev.x[i], y = ev.y[i], nx = ev.nx[i], ny = ev.ny[i],
          depth = ev.depth[i],
          speed = ev.speed[i], impulse = ev.impulse[i], sensor = ev.sensor[i] })
      end
    end,
    contact_end = function(ev)
      for i = 1, ev.count do table.insert(contacts.ended, { a = ev.a[i], b = ev.b[i] }) end
    end,
  },
}

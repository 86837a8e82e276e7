-- The declaration that the systems `one`, `two` and `three` share.
local operations = require("lib.operations")

return {
  query = { "motion", "transform" },
  update = function(q, dt)
    local x, vx = q.transform.x, q.motion.vx
    for i = 1, q.count do
      x[i] = x[i] + vx[i] * dt
    end
    operations.hold(x)
    operations.run(10)
    for i = 1, q.count do
      x[i] = x[i] + 1
    end
    if world.random(200) == 1 then
      error("on purpose")
    end
  end,
  on = {
    hit = function(ev)
      operations.hold(ev.power)
      for i = 1, ev.count do
        ev.cancelled[i] = world.random(3) == 1
      end
      operations.run(5)
    end,
    collision = function(ev)
      for i = 1, ev.count do
        if world.random(4) == 1 then
          ev.a[i]:destroy()
        end
      end
    end,
  },
  enter = function()
    operations.run(world.random(5) == 1 and 1 or 0)
  end,
  leave = function()
    operations.run(world.random(5) == 1 and 1 or 0)
  end,
}

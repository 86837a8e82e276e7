-- Power-ups fall from saucers, mother ships and some invaders. Each one is an entity. The cannon that catches it gets,
-- for some seconds, the component with the name of the power-up's kind.
local kinds, queries = require("lib.powerups").kinds, {}
for _, kind in ipairs(kinds) do queries[kind] = { kind } end

local function catch(cannon, e)
  local kind, at = e.powerup.kind, e.transform
  if cannon:has(kind) then cannon:remove(kind) end
  cannon:add(kind)
  world.emit("burst", { kind = kind, x = at.x, y = at.y })
  e:destroy()
end

return {
  phase = "post_update",
  after = { "shoal.collision", "hits" },
  when = { match = { phase = { "ready", "play", "lost" } } },
  queries = queries,
  update = function(q, dt)
    for _, name in ipairs(kinds) do
      for i = 1, q[name].count do
        local e = q[name].entity[i]
        e[name].left = e[name].left - dt
        if e[name].left <= 0 then e:remove(name) end
      end
    end
  end,
  on = {
    collision_began = function(ev)
      for i = 1, ev.count do
        local a, b = ev.a[i], ev.b[i]
        if a:has("cannon") and b:has("powerup") then catch(a, b) end
      end
    end,
    powerup_dropped = function(ev)
      for i = 1, ev.count do
        local kind = kinds[world.random(#kinds)]
        world.spawn(kind .. "_powerup", { transform = { x = ev.x[i], y = ev.y[i] } })
      end
    end,
  },
}

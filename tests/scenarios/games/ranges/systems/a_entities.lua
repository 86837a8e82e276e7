-- Writes single values: through entities, lookups and singletons, and with commands and tweens.
local values = require "values"
local random = values.random
local PATHS = {
  function(e) e.stat.i, e.stat.u, e.stat.f, e.stat.d = random(), random(), random(), random() end,
  function(e) e.stat.v = { random(), random() } end,
  function(e) e.stat.v.y = random() end,
  function(e) e:set("stat", { i = random(), u = random(), f = random(), d = random(), v = { random(), random() } }) end,
  function(e) e:add("slot", { i = random(), f = random(), v = { random(), 0 } }, "a") end,
  function(e) if e:has("slot") then e.slot.a.d, e.slot.a.f = random(), random() end end,
  function(e) if e:has("slot") then e:remove("slot", "a") end end,
  function(e) world.lookup("stat").f[e] = random() end,
  function() world.single.gauge.i, world.single.gauge.f = random(), random() end,
  function() world.spawn("extreme", { stat = { i = random(), d = random() } }).stat.u = random() end,
  function() world.spawn("thing", { stat = { f = random(), v = { random(), random() } } }) end,
  function(e) world.tween(e, "stat.f", world.random(-9, 9), 0.1, "back_out") end,
  function(e) if world.random() < 0.8 then e:destroy() end end,
  function() world.emit("hit", { power = random() }) end,
}
return { query = { "stat" }, on = { hit = function(ev)
  for i = 1, ev.count do
    ev.power[i] = ev.power[i] * random()
    if not (ev.power[i] >= 0 and ev.power[i] <= 10) then
      error("the power of a hit is " .. ev.power[i])
    end
  end
end }, update = function(q)
  for _ = 1, 8 do
    local e = q.entity[world.random(q.count)]
    if e:alive() then
      PATHS[world.random(#PATHS)](e)
    end
  end
end }

-- luacheck: read globals reachability
local only = require("lib.only")
local cached = shoal.cache(function()
  if only("cache") then reachability.walk("cache", { e = world.find("probed"), single = world.single.tally }) end
  return {}
end)
return {
  query = { "transform", "marker", optional = { "guard" } },
  on = { hit = function(ev)
    if only("event") then reachability.walk("event", { ev = ev }) end
  end },
  update = function(q)
    if world.tick == 0 and only("update") then
      reachability.walk("update", { q = q, _G = _G, cached = cached, e = q.entity[1], marker = q.marker })
    end
    local first = only("fuzz")
    if first then reachability.fuzz(first, only("count"), only("seconds")) end
    world.emit("hit", { who = q.entity[1], power = 2 })
  end,
}

-- Gives the courier a path to a random stop by way of the middle of the screen, and a new path when it arrives
-- (`path_ended`).
local function walk(e)
  local stops = {}
  for stop in world.each("stop") do
    stops[#stops + 1] = stop
  end
  local at, to = e.transform, stops[world.random(#stops)].transform
  e.path.points = string.format("%g,%g %g,%g", (at.x + to.x) / 2, 270 + world.random(-60, 60), to.x, to.y)
  e.path.next = 1
end

return {
  query = { "courier", "path" },
  each = function(e)
    if e.path.points == "" then walk(e) end
  end,
  on = {
    path_ended = function(ev)
      for i = 1, ev.count do
        if ev.entity[i]:has("courier") then walk(ev.entity[i]) end
      end
    end,
  },
}

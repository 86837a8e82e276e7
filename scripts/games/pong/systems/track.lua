-- Records the ball's path. When a rally begins, the path of the previous rally becomes the ghost
-- (systems/draw_ghost.lua).
local function add(x, y)
  local track, at = world.single.track, world.tick - world.single.track.from
  world.spawn("leg", { leg = { x1 = track.x, y1 = track.y, x2 = x, y2 = y, from = track.at, to = at } })
  track.x, track.y, track.at = x, y, at
end

local function add_events(ev)
  if world.single.match.phase == "title" then return end
  for i = 1, ev.count do add(ev.x[i], ev.y[i]) end
end

return {
  phase = "post_update",
  on = {
    go = function(ev)
      if ev.to[ev.count] ~= "play" then return end
      for e in world.each("leg") do
        if e.leg.is_ghost then e:destroy() else e.leg.is_ghost = true end
      end
      local track = world.single.track
      track.from, track.x, track.y, track.at = world.tick, 640, 360, 0
    end,
    -- Destroys the path of the previous rally when a match begins.
    forget = function() world.query({ "leg" }):destroy_all() end,
    hit = add_events,
    wall = add_events,
    goal = function(ev) add(640 - ev.side[1] * 660, ev.y[1]) end,
  },
}

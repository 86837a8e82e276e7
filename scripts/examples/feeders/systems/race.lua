-- Gives a point to a boat that reaches the buoy, then moves the buoy to a random position.
return {
  phase = "post_update",
  query = { "boat", "transform" },
  each = function(e)
    local buoy = world.single.race.buoy.transform
    local dx, dy = buoy.x - e.transform.x, buoy.y - e.transform.y
    if dx * dx + dy * dy < 30 * 30 then
      e.boat.score = e.boat.score + 1
      buoy.x, buoy.y = world.random(120, 1160), world.random(120, 600)
    end
  end,
}

-- Draws a shield around ships that are invulnerable.
local crew = require "lib.crew"

return {
  phase = "render",
  query = { "ship", "grace", "transform" },
  update = function(q)
    draw.layer(5)
    for i = 1, q.count do
      local ship = crew.get_colour(q.ship.player[i])
      draw.colour(ship[1], ship[2], ship[3], 0.35 + 0.25 * math.sin(world.time * 9))
      draw.circle(q.transform.x[i], q.transform.y[i], 34, false, 2)
    end
  end,
}

-- Draws each pair of the relations `likes` and `follows` as a line.
local caption = require "caption"

return {
  phase = "render",
  query = { "guest", "transform" },
  update = function(q)
    local places = world.lookup("transform")
    local shapes = world.lookup("shape")
    for i = 1, q.count do
      local guest, x, y = q.entity[i], q.transform.x[i], q.transform.y[i]
      for _, dish in ipairs(world.targets(guest, "likes")) do
        local colour = shapes.colour[dish]
        draw.colour(colour.x, colour.y, colour.z, 0.22 + 0.6 * q.guest.joy[i])
        draw.line(x, y, places.x[dish], places.y[dish], 1.5 + 1.5 * q.guest.joy[i])
      end
      for _, leader in ipairs(world.targets(guest, "follows")) do
        draw.colour(1, 1, 1, 0.35)
        draw.line(x, y, places.x[leader], places.y[leader], 1)
      end
    end
    caption.draw "Guests like dishes and follow each other: relations are pairs, guest:add(\"likes\", dish)"
  end,
}

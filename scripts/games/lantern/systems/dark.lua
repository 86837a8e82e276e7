-- Draws the darkness with holes for the lights, in cells of 4 × 4 pixels. The opacity has few steps, which looks
-- hand-drawn.
local looks, rooms = assets.json "rooms.json", require "lib.rooms"
local CELL, STEPS = 4, 5

return {
  phase = "render",
  query = { "light", "transform", without = { "disabled" } },
  update = function(q)
    local eye, lights, n = world.find("eye").transform, {}, 0
    local left, top = math.floor((eye.x - 168) / CELL), math.floor((eye.y - 98) / CELL)
    local dark = looks[rooms.name()].dark
    for i = 1, q.count do
      local at = q.entity[i].transform.world
      local flicker = 1 + 0.035 * q.light.flicker[i] * math.sin(world.time * 9 + i * 2.4)
      local x, y, radius = at[13] / CELL - 0.5, (at[14] - 7) / CELL - 0.5, q.light.radius[i] * flicker / CELL
      if x + radius > left and x - radius < left + 84 and y + radius > top and y - radius < top + 49 then
        lights[n + 1], lights[n + 2], lights[n + 3] = x, y, 1 / radius
        n = n + 3
      end
    end
    draw.layer(10)
    for row = top, top + 49 do
      local begun, shade = left, -1
      for column = left, left + 85 do
        local level = 0
        for k = 1, n, 3 do
          local dx, dy = column - lights[k], row - lights[k + 1]
          local near = 1 - math.sqrt(dx * dx + dy * dy) * lights[k + 2]
          if near > level then level = near end
        end
        local steps = math.floor(math.min(1, level * 2) * STEPS + ((row + column) % 2) * 0.5)
        if steps ~= shade or column == left + 85 then
          if shade >= 0 and shade < STEPS then
            draw.colour(0.055, 0.043, 0.11, dark * (1 - shade / STEPS))
            draw.rect(begun * CELL, row * CELL, (column - begun) * CELL, CELL)
          end
          begun, shade = column, steps
        end
      end
    end
  end,
}

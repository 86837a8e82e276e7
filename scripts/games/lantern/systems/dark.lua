-- Draws the darkness with holes for the lights, in cells of 4 × 4 pixels. The opacity has few steps, which looks
-- hand-drawn.
local looks, rooms = assets.json "rooms.json", require "lib.rooms"
local CELL, STEPS = 4, 5

return {
  phase = "render",
  query = { "light", "transform", without = { "disabled" } },
  update = function(q)
    local eye, lights, count = world.find("eye").transform, {}, 0
    local area_x, area_y, width, height = window.area()
    local left, top = math.floor((eye.x - 168 + area_x) / CELL), math.floor((eye.y - 98 + area_y) / CELL)
    local columns, rows = math.ceil(width / CELL) + 5, math.ceil(height / CELL) + 4
    local darkness = looks[rooms.name()].dark
    for i = 1, q.count do
      local matrix = q.entity[i].transform.world
      local flicker = 1 + 0.035 * q.light.flicker[i] * math.sin(world.time * 9 + i * 2.4)
      local x, y, radius = matrix[13] / CELL - 0.5, (matrix[14] - 7) / CELL - 0.5, q.light.radius[i] * flicker / CELL
      if x + radius > left and x - radius < left + columns and y + radius > top and y - radius < top + rows then
        lights[count + 1], lights[count + 2], lights[count + 3] = x, y, 1 / radius
        count = count + 3
      end
    end
    draw.layer(10)
    for row = top, top + rows do
      local run_start, run_level = left, -1
      for column = left, left + columns do
        local level = 0
        for k = 1, count, 3 do
          local dx, dy = column - lights[k], row - lights[k + 1]
          local nearness = 1 - math.sqrt(dx * dx + dy * dy) * lights[k + 2]
          if nearness > level then level = nearness end
        end
        local light_level = math.floor(math.min(1, level * 2) * STEPS + ((row + column) % 2) * 0.5)
        if light_level ~= run_level or column == left + columns then
          if run_level >= 0 and run_level < STEPS then
            draw.colour(0.055, 0.043, 0.11, darkness * (1 - run_level / STEPS))
            draw.rect(run_start * CELL, row * CELL, (column - run_start) * CELL, CELL)
          end
          run_start, run_level = column, light_level
        end
      end
    end
  end,
}

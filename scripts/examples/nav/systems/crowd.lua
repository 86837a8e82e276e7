-- Walkers give way to each other: two that are too near step apart. Cells as large as a walker, each with its first one.
local floor = math.floor
local SIZE, COLUMNS = 12, 108

return {
  after = "walk",
  query = { "transform", "walker" },
  update = function(q)
    local x, y = q.transform.x, q.transform.y
    local first, following = {}, {}
    for i = 1, q.count do
      local cell = floor(y[i] / SIZE) * COLUMNS + floor(x[i] / SIZE)
      following[i], first[cell] = first[cell], i
    end
    for i = 1, q.count do
      local cell = floor(y[i] / SIZE) * COLUMNS + floor(x[i] / SIZE)
      for row = -COLUMNS, COLUMNS, COLUMNS do
        for side = -1, 1 do
          local k = first[cell + row + side]
          while k do
            local dx, dy = x[i] - x[k], y[i] - y[k]
            local far = dx * dx + dy * dy
            if k ~= i and far > 0 and far < 90 then
              x[i], y[i] = x[i] + dx * 0.04, y[i] + dy * 0.04
            end
            k = following[k]
          end
        end
      end
    end
  end,
}

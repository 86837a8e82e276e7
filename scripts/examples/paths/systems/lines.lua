-- Draws each path as lines between its points, which are listed in the string `path.points`.
return {
  phase = "render",
  query = { "path" },
  each = function(e)
    local path, before_x, before_y, first_x, first_y = e.path, nil, nil, nil, nil
    draw.layer(0)
    draw.colour(0.4, 0.6, 0.8, 0.10)
    for x, y in path.points:gmatch("(%-?[%d.]+),(%-?[%d.]+)") do
      x, y = tonumber(x), tonumber(y)
      if before_x then draw.line(before_x, before_y, x, y, 2) end
      before_x, before_y, first_x, first_y = x, y, first_x or x, first_y or y
    end
    if path.loop then draw.line(before_x, before_y, first_x, first_y, 2) end
  end,
}

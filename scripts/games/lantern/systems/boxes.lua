-- F3 shows what the engine sees: bodies, and who feels whom.
local COLOUR = { [1] = "#98c85c", [2] = "#ffe186", [4] = "#c33a4c", [8] = "#62bbd6", [16] = "#f0a456" }

return {
  phase = "render",
  query = { "body", "transform" },
  update = function(q)
    if not world.single.debug.boxes then return end
    draw.layer(15)
    for i = 1, q.count do
      local body, at = q.entity[i].body, q.entity[i].transform.world
      local x, y = at[13] + body.offset_x, at[14] + body.offset_y
      draw.colour(COLOUR[body.category] or "#8c93b4")
      if body.kind == "box" then
        draw.rect(x - body.width / 2, y - body.height / 2, body.width, body.height, false, 0.7)
      else
        draw.circle(x, y, body.radius, false, 0.7)
      end
    end
  end,
}

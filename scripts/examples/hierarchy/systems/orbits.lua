-- Draws the circles. Where an arm is, its world matrix says: a moon's arm has its planet as parent, which hangs at an
-- arm itself.
return {
  phase = "render",
  query = { "transform", "orbit" },
  update = function(q)
    draw.layer(-1)
    draw.colour(0.4, 0.5, 0.8, 0.35)
    for i = 1, q.count do
      local matrix = q.transform.world[i]
      draw.circle(matrix[13], matrix[14], q.orbit.radius[i], false, 1)
    end
  end,
}

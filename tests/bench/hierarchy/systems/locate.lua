return {
  phase = "post_update",
  query = { "transform", "radar" },
  update = function(q)
    local matrix, x, y = q.transform.world, q.radar.x, q.radar.y
    for i = 1, q.count do
      local m = matrix[i]
      x[i], y[i] = m[13], m[14]
    end
  end,
}

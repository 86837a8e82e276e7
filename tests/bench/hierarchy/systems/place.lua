return {
  phase = "post_update",
  after = "locate",
  query = { "transform", "radar" },
  update = function(q)
    local wx, wy, x, y = q.transform.world_x, q.transform.world_y, q.radar.x, q.radar.y
    for i = 1, q.count do
      x[i], y[i] = wx[i], wy[i]
    end
  end,
}

return {
  phase = "post_update",
  after = "place",
  query = { "radar" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local x, y, sum_x, sum_y = q.radar.x, q.radar.y, 0, 0
    for i = 1, q.count do sum_x, sum_y = sum_x + x[i], sum_y + y[i] end
    print(("check x %.17g"):format(sum_x))
    print(("check y %.17g"):format(sum_y))
  end,
}

return {
  phase = "post_update",
  after = "light",
  query = { "spark" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local x, y, in_order = 0, 0, 0
    for i = 1, q.count do
      x, y = x + q.spark.x[i], y + q.spark.y[i] * (1 + q.spark.age[i])
      in_order = in_order + q.spark.x[i] * (i % 11) + q.spark.y[i] * (i % 13)
    end
    print(("check count %.17g"):format(q.count))
    print(("check x %.17g"):format(x))
    print(("check y %.17g"):format(y))
    print(("check in_order %.17g"):format(in_order)) -- depends on the order of the rows
  end,
}

return {
  phase = "post_update",
  query = { "left", "right" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local x, y, sum_x, sum_y = q.left.x, q.right.x, 0, 0
    for i = 1, q.count do
      sum_x, sum_y = sum_x + x[i], sum_y + y[i]
    end
    print(("check left %.17g"):format(sum_x))
    print(("check right %.17g"):format(sum_y))
  end,
}

return {
  phase = "post_update",
  query = { "cell" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local distance, again, sum, sum_again = q.cell.distance, q.cell.again, 0, 0
    for i = 1, q.count do sum, sum_again = sum + distance[i], sum_again + again[i] end
    print(("check distance %.17g"):format(sum))
    print(("check distance %.17g"):format(sum_again))
  end,
}

return {
  phase = "post_update",
  query = { "cell" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local distance, sum = q.cell.distance, 0
    for i = 1, q.count do sum = sum + distance[i] end
    print(("check distance %.17g"):format(sum))
  end,
}

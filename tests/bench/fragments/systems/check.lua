return {
  phase = "post_update",
  query = { "data" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local sum = 0
    for i = 1, q.count do sum = sum + q.data.z[i] end
    print(("check z %.17g"):format(sum))
  end,
}

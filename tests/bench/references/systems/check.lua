return {
  phase = "post_update",
  query = { "seeker" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local vx, vy, sum = q.seeker.vx, q.seeker.vy, 0
    for i = 1, q.count do sum = sum + vx[i] * (1 + i % 97) + vy[i] end
    print(("check speed %.17g"):format(sum))
  end,
}

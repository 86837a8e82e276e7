return {
  phase = "post_update",
  query = { "motion", "motion_single" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local double, single = 0, 0
    for i = 1, q.count do
      double = double + q.motion.vx[i] + q.motion.vy[i]
      single = single + q.motion_single.vx[i] + q.motion_single.vy[i]
    end
    print(("check double %.17g"):format(double))
    print(("check single %.17g"):format(single))
  end,
}

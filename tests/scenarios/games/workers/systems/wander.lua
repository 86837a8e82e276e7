-- Every chunk has its own stream of random numbers, so this one is compared between numbers of workers only.
return {
  enabled = false,
  parallel = true,
  query = { "motion" },
  update = function(q)
    local vx = q.motion.vx
    for i = 1, q.count do
      vx[i] = vx[i] + world.random() - 0.5 + world.random(-1, 1)
    end
  end,
}

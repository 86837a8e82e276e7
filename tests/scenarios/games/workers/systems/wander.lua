-- Draws random numbers in row order, and so runs on one core.
return {
  query = { "motion" },
  update = function(q)
    local vx = q.motion.vx
    for i = 1, q.count do
      vx[i] = vx[i] + world.random() - 0.5 + world.random(-1, 1)
    end
  end,
}

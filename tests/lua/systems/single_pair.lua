-- In single precision, over two components whose rows need not stand in the same order.
return {
  query = { "numbers", "motion" },
  precision = "single",
  update = function(q)
    for i = 1, q.count do
      q.numbers.pair[i] = q.numbers.pair[i] + q.motion.vx[i]
      q.motion.vy[i] = q.numbers.pair[i] * 2
    end
  end,
}

-- Single precision over two components whose rows may be in different orders.
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

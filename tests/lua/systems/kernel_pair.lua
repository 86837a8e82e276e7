-- A kernel over two components whose rows need not stand in the same order.
return {
  query = { "numbers", "motion" },
  kernel = function(q, dt)
    q.numbers.pair = q.numbers.pair + q.motion.vx
    q.motion.vy = q.numbers.pair * 2
  end,
}

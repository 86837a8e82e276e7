-- A kernel whose components cannot share an order: the rows of numbers belong to the group of kernel_pair.
return {
  query = { "numbers", "tuned" },
  kernel = function(q, dt)
    q.tuned.speed = q.numbers.b * 2
  end,
}

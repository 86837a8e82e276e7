-- Single precision over components in different orders: the rows of numbers belong to the group of single_pair.
return {
  query = { "numbers", "tuned" },
  precision = "single",
  update = function(q)
    for i = 1, q.count do q.tuned.speed[i] = q.numbers.b[i] * 2 end
  end,
}

-- Single precision over components whose rows are in different orders: the rows of `numbers` are ordered for the group
-- of single_pair.
return {
  query = { "numbers", "tuned" },
  precision = "single",
  update = function(q)
    for i = 1, q.count do q.tuned.speed[i] = q.numbers.b[i] * 2 end
  end,
}

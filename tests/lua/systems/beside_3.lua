return {
  query = { "beside_a", "beside_b" }, priority = 9002, precision = "single",
  update = function(q)
    for i = 1, q.count do q.beside_b.seen[i] = q.beside_a.value[i] end
  end,
}

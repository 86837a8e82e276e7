return {
  query = { "concurrent_a", "concurrent_b" }, priority = 9002, precision = "single",
  update = function(q)
    for i = 1, q.count do q.concurrent_b.seen[i] = q.concurrent_a.value[i] end
  end,
}

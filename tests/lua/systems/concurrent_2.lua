return { query = { "concurrent_b" }, priority = 9001, precision = "single", update = function(q)
  for i = 1, q.count do q.concurrent_b.value[i] = q.concurrent_b.value[i] + 1 end
end }

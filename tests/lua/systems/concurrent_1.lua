return { query = { "concurrent_a" }, priority = 9000, precision = "single", update = function(q)
  for i = 1, q.count do q.concurrent_a.value[i] = q.concurrent_a.value[i] + 2 end
end }

return { query = { "beside_b" }, priority = 9001, precision = "single", update = function(q)
  for i = 1, q.count do q.beside_b.value[i] = q.beside_b.value[i] + 1 end
end }

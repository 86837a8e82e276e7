return { query = { "beside_a" }, priority = 9000, precision = "single", update = function(q)
  for i = 1, q.count do q.beside_a.value[i] = q.beside_a.value[i] + 2 end
end }

return { query = { "beside_b" }, priority = 9001, kernel = function(q) q.beside_b.value = q.beside_b.value + 1 end }

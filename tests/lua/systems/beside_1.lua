return { query = { "beside_a" }, priority = 9000, kernel = function(q) q.beside_a.value = q.beside_a.value + 2 end }

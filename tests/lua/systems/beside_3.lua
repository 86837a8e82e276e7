return {
  query = { "beside_a", "beside_b" }, priority = 9002,
  kernel = function(q) q.beside_b.seen = q.beside_a.value end,
}

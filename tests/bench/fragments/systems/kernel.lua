return {
  query = { "data" },
  kernel = function(q) q.data.z = q.data.z * 0.5 + 1 end,
}

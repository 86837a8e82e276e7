-- Is switched on and off by the tests.
return {
  query = { "drift" },
  kernel = function(q) q.drift.way = q.drift.way + 1 end,
}

-- Enabled and disabled by the tests.
return {
  query = { "drift" },
  precision = "single",
  each = function(e) e.drift.way = e.drift.way + 1 end,
}

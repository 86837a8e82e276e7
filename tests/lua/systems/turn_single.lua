-- A system in single precision that the tests enable and disable.
return {
  query = { "drift" },
  precision = "single",
  each = function(e) e.drift.way = e.drift.way + 1 end,
}

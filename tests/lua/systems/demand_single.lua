return {
  phase = "demand", query = { "fuel" }, precision = "single",
  each = function(e) e.fuel.left = e.fuel.left * 2 end,
}

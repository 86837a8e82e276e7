return {
  parallel = true,
  after = "update",
  query = { "small", "transform" },
  update = function(q)
    require("calls").batch("parallel", require("chosen").parallel or 100, q)
  end,
}

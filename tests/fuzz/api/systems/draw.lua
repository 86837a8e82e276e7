return {
  phase = "render",
  query = { "transform" },
  update = function(q)
    require("calls").batch("render", require("config").render, q)
  end,
}

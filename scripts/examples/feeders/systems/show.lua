return {
  phase = "render",
  query = { "boat", "transform" },
  each = function(e)
    draw.text(e:state() .. " " .. e.boat.score, e.transform.x, e.transform.y - 34, 18, "center")
  end,
}

return {
  query = { "position" },
  update = function(q)
    q:add("burning", { heat = 2, left = 3 })
  end,
}

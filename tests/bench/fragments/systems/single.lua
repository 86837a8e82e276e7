return {
  query = { "data" },
  precision = "single",
  update = function(q)
    local z = q.data.z
    for i = 1, q.count do z[i] = z[i] * 0.5 + 1 end
  end,
}

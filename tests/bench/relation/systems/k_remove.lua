return {
  query = { "knows" },
  update = function(q)
    for i = 1, q.count do
      q.entity[i]:remove("knows")
    end
  end,
}

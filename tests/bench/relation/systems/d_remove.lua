return {
  query = { "likes" },
  update = function(q)
    for i = 1, q.count do
      q.entity[i]:remove("likes")
    end
  end,
}

return {
  query = { "place", "look" },
  update = function(q)
    for i = 1, q.count do
      q.place.x[i] = q.place.x[i] + q.look.size[i] / 8
      q.place.y[i] = q.place.y[i] + world.random()
    end
  end,
}

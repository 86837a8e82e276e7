return {
  after = "text",
  query = { "velocity" },
  update = function(q)
    local y = q.velocity.y
    for i = 1, q.count do
      y[i] = world.random() < 2 and y[i] or 0
    end
  end,
}

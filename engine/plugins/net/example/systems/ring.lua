return {
  query = { "echo", "transform" },
  update = function(q)
    local received = world.single.received
    for i = 1, q.count do
      q.transform.x[i], q.transform.y[i] = received.x, received.y
    end
  end,
}

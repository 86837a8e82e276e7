return {
  query = { "echo", "transform" },
  update = function(q)
    local heard = world.single.heard
    for i = 1, q.count do
      q.transform.x[i], q.transform.y[i] = heard.x, heard.y
    end
  end,
}

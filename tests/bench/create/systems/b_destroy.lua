return {
  query = { "position" },
  update = function(q)
    if q.count ~= world.single.bench.count then error("not all were created: " .. q.count) end
    q:destroy_all()
  end,
}

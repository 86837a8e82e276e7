return {
  query = { "position" },
  every = 5,
  update = function(q)
    if q.count ~= world.single.bench.count / 10 then error("not all were created: " .. q.count) end
    q:destroy_all()
  end,
}

return {
  query = { "burning" },
  update = function(q)
    if q.count ~= world.single.bench.count then error("not all are burning: " .. q.count) end
    q:remove("burning")
  end,
}

return {
  query = { "position", "velocity", "spin", "paint" },
  every = 5,
  update = function(q)
    if q.count ~= world.single.bench.count / 10 then error("not all were created: " .. q.count) end
    local y, g = 0, 0
    for i = 1, q.count do y, g = y + q.position.y[i], g + q.paint.g[i] end
    if y ~= 3 * q.count or g ~= q.count / 2 then error("they have other values") end
    q:destroy_all()
  end,
}

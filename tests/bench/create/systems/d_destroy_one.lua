return {
  query = { "position" },
  every = 10,
  update = function(q)
    local entity = q.entity
    for i = 1, q.count do entity[i]:destroy() end
  end,
}

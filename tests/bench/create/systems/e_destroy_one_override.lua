return {
  query = { "position" },
  every = 5,
  update = function(q)
    local entity = q.entity
    for i = 1, q.count do entity[i]:destroy() end
  end,
}

return {
  query = { "marked" },
  every = 5,
  update = function(q)
    local entity = q.entity
    for i = 1, q.count do entity[i]:remove("marked") end
  end,
}

return {
  query = { "tenth" },
  every = 5,
  update = function(q)
    local entity = q.entity
    for i = 1, q.count do entity[i]:add("marked") end
  end,
}

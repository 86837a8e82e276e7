-- A component that nobody asks about is written.
return {
  query = { "weight", "beside" },
  update = function(q)
    local value = q.beside.value
    for i = 1, q.count do
      value[i] = value[i] + 1
    end
  end,
}

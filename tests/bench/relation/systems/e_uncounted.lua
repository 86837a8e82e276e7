-- Writes a component whose changes are not counted.
return {
  query = { "weight", "uncounted" },
  update = function(q)
    local value = q.uncounted.value
    for i = 1, q.count do
      value[i] = value[i] + 1
    end
  end,
}

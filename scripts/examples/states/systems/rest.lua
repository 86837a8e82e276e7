-- Dark fireflies wait and wake one by one; a neighbour's light does not wake them.
return {
  query = { "dark" },
  update = function(q, dt)
    local left = q.dark.left
    for i = 1, q.count do
      left[i] = left[i] - dt
      if left[i] <= 0 then q.entity[i]:enter("flashing") end
    end
  end,
}

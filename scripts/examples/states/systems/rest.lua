-- Each dark firefly waits until its own timer, `dark.left`, has run out, then starts to flash.
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

-- A click on a house removes it; a click elsewhere builds one.
return {
  query = { "transform", "house" },
  update = function(q)
    if not input.pressed("build") then return end
    local x, y = input.mouse()
    for i = 1, q.count do
      if math.abs(q.transform.x[i] - x) < 50 and math.abs(q.transform.y[i] - y) < 30 then
        q.entity[i]:destroy()
        return
      end
    end
    world.spawn("house", { transform = { x = x, y = y } })
  end,
}

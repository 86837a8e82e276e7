-- Plants a flower on each click and every three seconds, and makes flowers grow.
return {
  query = { "flower" },
  update = function(q, dt)
    for i = 1, q.count do
      q.flower.age[i] = q.flower.age[i] + dt
    end
    local x, y = input.mouse()
    if input.pressed("plant") and y > 210 and y < 500 then
      world.spawn("flower", { transform = { x = x, y = y }, flower = { hue = world.random() } })
    elseif world.tick % 180 == 90 and q.count < 80 then
      world.spawn("flower", { transform = { x = world.random(40, 1240), y = world.random(250, 470) },
        flower = { hue = world.random() } })
    end
  end,
}

-- Moves the animals in circles. Their speed and rate of turn depend on their breed.
return {
  query = { "transform", "swim", "heading" },
  update = function(q, dt)
    local x, y, angle = q.transform.x, q.transform.y, q.heading.angle
    for i = 1, q.count do
      angle[i] = angle[i] + q.swim.turn[i] * dt
      x[i] = (x[i] + math.cos(angle[i]) * q.swim.speed[i] * dt) % 1280
      y[i] = (y[i] + math.sin(angle[i]) * q.swim.speed[i] * dt) % 720
    end
  end,
}

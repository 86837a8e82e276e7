return {
  query = { "drift" },
  update = function(q, dt)
    local place, speed = q.drift.place, q.drift.speed
    for i = 1, q.count do
      place[i] = place[i] + speed[i] * dt
    end
  end,
}

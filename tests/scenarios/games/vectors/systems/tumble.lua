return {
  query = { "drift", "tumble" },
  after = "move",
  update = function(q)
    local speed, turn, spin = q.drift.speed, q.tumble.turn, q.tumble.spin
    local view = shoal.mat4.rotation(shoal.vec3(0, 1, 0), 0.001)
    for i = 1, q.count do
      turn[i] = (turn[i] * spin[i]):normalize()
      speed[i] = view:direction(turn[i] * speed[i]) * 1.001
    end
  end,
}

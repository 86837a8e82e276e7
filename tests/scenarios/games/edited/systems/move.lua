return {
  query = { "transform", "motion" },
  update = function(q)
    local x, angle, vx, spin = q.transform.x, q.transform.angle, q.motion.vx, q.motion.spin
    for i = 1, q.count do
      x[i] = x[i] + vx[i] * world.random()
      angle[i] = angle[i] + spin[i]
    end
    world.single.tally.steps = world.single.tally.steps + 1
  end,
}

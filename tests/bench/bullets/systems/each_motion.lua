return {
  when = { bench = { form = "each" } },
  after = "each_fire",
  query = { "transform", "motion" },
  each = function(e, dt)
    e.transform.x = e.transform.x + e.motion.vx * dt
    e.transform.y = e.transform.y + e.motion.vy * dt
  end,
}

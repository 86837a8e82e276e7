-- Makes ships turn around at the edges.
return {
  when = { bench = { form = "each" } },
  after = "each_motion",
  query = { "transform", "motion", "gun" },
  each = function(e)
    if e.transform.x < 0 or e.transform.x > 4096 then e.motion.vx = -e.motion.vx end
    if e.transform.y < 0 or e.transform.y > 4096 then e.motion.vy = -e.motion.vy end
  end,
}

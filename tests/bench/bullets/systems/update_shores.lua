return {
  when = { bench = { form = "update" } },
  after = "update_motion",
  query = { "transform", "motion", "gun" },
  update = function(q)
    local x, y, vx, vy = q.transform.x, q.transform.y, q.motion.vx, q.motion.vy
    for i = 1, q.count do
      if x[i] < 0 or x[i] > 4096 then vx[i] = -vx[i] end
      if y[i] < 0 or y[i] > 4096 then vy[i] = -vy[i] end
    end
  end,
}

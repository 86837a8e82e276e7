-- Moves the comet and sends its position to the server.
return {
  query = { "comet", "transform" },
  update = function(q, dt)
    for i = 1, q.count do
      local t = q.comet.phase[i] + dt
      q.comet.phase[i] = t
      q.transform.x[i] = 480 + 380 * math.sin(t * 1.1)
      q.transform.y[i] = 250 + 170 * math.sin(t * 1.7)
      local net = world.single.net
      if net.connected and world.tick % 4 == 0 then
        shoal.plugins.net.send(0, string.format("%.0f %.0f", q.transform.x[i], q.transform.y[i]))
      end
    end
  end,
}

-- Lights the sky in the colour of the last burst, then lets the light fade.
return {
  on = {
    burst = function(ev)
      local sky = world.single.sky
      sky.glow, sky.r, sky.g, sky.b = 1, ev.r[ev.count], ev.g[ev.count], ev.b[ev.count]
    end,
  },
  query = { "camera" },
  update = function(q, dt)
    local sky, colour = world.single.sky, q.camera.background
    sky.glow = sky.glow * (1 - 3 * dt)
    for i = 1, q.count do
      colour.r[i], colour.g[i] = 0.005 + 0.05 * sky.glow * sky.r, 0.006 + 0.05 * sky.glow * sky.g
      colour.b[i] = 0.02 + 0.05 * sky.glow * sky.b
    end
  end,
}

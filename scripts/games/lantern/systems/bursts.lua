-- Spawns specks for `burst` events; slows the specks down and shrinks them.
return {
  phase = "post_update",
  after = { "struck", "deaths", "contacts" },
  query = { "fades", "flight", "lifetime", "transform" },
  update = function(q, dt)
    for i = 1, q.count do
      local remaining = math.max(0, q.lifetime.seconds[i] / q.fades.life[i])
      q.transform.scale_x[i], q.transform.scale_y[i] = 0.5 + remaining, 0.5 + remaining
      q.flight.x[i], q.flight.y[i] = q.flight.x[i] * (1 - 4 * dt), q.flight.y[i] * (1 - 4 * dt)
    end
  end,
  on = {
    burst = function(ev)
      for i = 1, ev.count do
        for _ = 1, ev.specks[i] do
          local angle, speed = world.random() * 2 * math.pi, ev.speed[i] * (0.4 + world.random())
          local life = 0.25 + 0.3 * world.random()
          world.spawn("speck", {
            transform = { x = ev.x[i], y = ev.y[i] }, sprite = { tint = ev.colour[i] }, lifetime = { seconds = life },
            flight = { x = math.cos(angle) * speed, y = math.sin(angle) * speed }, fades = { life = life },
          })
        end
      end
    end,
  },
}

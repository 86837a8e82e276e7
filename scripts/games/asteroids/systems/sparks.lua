-- Every explosion throws sparks and sends a shock wave.
local function burst(x, y, vx, vy, power, r, g, b)
  local count = math.floor(10 + 46 * power)
  world.spawn_many("spark", count, function(q)
    local t, m, particle, colour = q.transform, q.motion, q.particle, q.shape.colour
    for i = 1, count do
      local angle, fast = world.random() * 2 * math.pi, world.random()
      local speed = 30 + fast * fast * (170 + 240 * power)
      local life = (0.35 + 0.75 * world.random()) * (0.6 + 0.6 * power)
      local start = world.random() * 16 * power
      local dx, dy = math.cos(angle), math.sin(angle)
      t.x[i], t.y[i], t.angle[i] = x + dx * start, y + dy * start, angle
      m.vx[i], m.vy[i] = vx * 0.6 + dx * speed, vy * 0.6 + dy * speed
      particle.life[i], particle.drag[i], q.lifetime.seconds[i] = life, 1.6, life
      local hot = world.random() -- some are nearly white
      colour.x[i], colour.y[i], colour.z[i] = r + hot, g + hot, b + hot
    end
  end)
end

local function flare(x, y, power, r, g, b)
  world.spawn("flare", {
    transform = { x = x, y = y },
    ring = { growth = -150 - 120 * power, life = 0.22, peak = 0.9 },
    lifetime = { seconds = 0.22 },
    shape = { radius = 12 + 34 * power, colour = { 0.6 + r, 0.6 + g, 0.6 + b, 1 } },
  })
end

local function shock(x, y, power, r, g, b)
  local life = 0.35 + 0.35 * power
  world.spawn("ring", {
    transform = { x = x, y = y },
    ring = { growth = 120 + 260 * power, life = life, peak = 0.7 },
    lifetime = { seconds = life },
    shape = { radius = 4 + 14 * power, colour = { r, g, b, 1 } },
  })
end

return {
  phase = "post_update",
  after = { "rock_breaks", "saucer_breaks", "ship_breaks" },
  on = {
    explosion = function(ev)
      for i = 1, ev.count do
        local x, y, power, r, g, b = ev.x[i], ev.y[i], ev.power[i], ev.r[i], ev.g[i], ev.b[i]
        burst(x, y, ev.vx[i], ev.vy[i], power, r, g, b)
        shock(x, y, power, r, g, b)
        flare(x, y, power, r, g, b)
        if power >= 1 then shock(x, y, 1.8, 1, 0.7, 0.35) end
      end
    end,
  },
}

-- Spawns sparks, a flare and a shock wave for each explosion.
local function spawn_sparks(x, y, vx, vy, power, r, g, b)
  world.spawn("sparks", {
    transform = { x = x, y = y },
    motion = { vx = vx * 0.6, vy = vy * 0.6 },
    emitter = {
      burst = math.floor(10 + 46 * power), radius = 16 * power, speed = 130 + 130 * power, life = 0.5 + 0.5 * power,
      colours = { { r + 0.8, g + 0.8, b + 0.8, 1 }, { r + 0.2, g + 0.2, b + 0.2, 0.7 }, { r, g, b, 0 } },
    },
  })
end

local function spawn_flare(x, y, power, r, g, b)
  world.spawn("flare", {
    transform = { x = x, y = y },
    ring = { growth = -150 - 120 * power, life = 0.22, peak = 0.9 },
    lifetime = { seconds = 0.22 },
    shape = { radius = 12 + 34 * power, colour = { 0.6 + r, 0.6 + g, 0.6 + b, 1 } },
  })
end

local function spawn_shock_ring(x, y, power, r, g, b)
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
        spawn_sparks(x, y, ev.vx[i], ev.vy[i], power, r, g, b)
        spawn_shock_ring(x, y, power, r, g, b)
        spawn_flare(x, y, power, r, g, b)
        if power >= 1 then spawn_shock_ring(x, y, 1.8, 1, 0.7, 0.35) end
      end
    end,
  },
}

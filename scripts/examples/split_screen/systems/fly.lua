-- Moves the ships: they turn, accelerate, are slowed down by drag, and bounce off rocks and the border.
local WIDTH, HEIGHT, SIZE = 2400, 1400, 14

local function bounce(e, nx, ny, depth)
  local at, helm = e.transform, e.helm
  at.x, at.y = at.x + nx * depth, at.y + ny * depth
  local into = helm.vx * nx + helm.vy * ny
  if into < 0 then
    helm.vx, helm.vy = helm.vx - 1.6 * into * nx, helm.vy - 1.6 * into * ny
    local shaken = e.pilot.eye.shaken
    shaken.trauma = math.min(1, shaken.trauma - into / 500)
    if into < -80 then
      input.rumble(math.min(1, -into / 400), 0.15, e.pilot.player)
    end
  end
end

local function leave_trail(e)
  local at, c = e.transform, e.pilot.colour
  local puff = world.spawn("puff", {
    transform = { x = at.x - math.cos(at.angle) * 14, y = at.y - math.sin(at.angle) * 14 },
    shape = { colour = { c.x, c.y * 0.8, c.z * 0.8, 0.7 } } })
  world.tween(puff, "shape.colour.a", 0, 0.6)
  world.tween(puff, "shape.radius", 1, 0.6)
end

return {
  queries = { ships = { "pilot", "helm", "transform" }, rocks = { "rock", "transform" } },
  update = function(q, dt)
    for i = 1, q.ships.count do
      local e = q.ships.entity[i]
      local at, helm = e.transform, e.helm
      at.angle = at.angle + helm.turn * 3.6 * dt
      helm.vx = (helm.vx + math.cos(at.angle) * helm.thrust * 420 * dt) * (1 - 0.9 * dt)
      helm.vy = (helm.vy + math.sin(at.angle) * helm.thrust * 420 * dt) * (1 - 0.9 * dt)
      at.x, at.y = at.x + helm.vx * dt, at.y + helm.vy * dt
      if at.x < SIZE then bounce(e, 1, 0, SIZE - at.x) end
      if at.x > WIDTH - SIZE then bounce(e, -1, 0, at.x - WIDTH + SIZE) end
      if at.y < SIZE then bounce(e, 0, 1, SIZE - at.y) end
      if at.y > HEIGHT - SIZE then bounce(e, 0, -1, at.y - HEIGHT + SIZE) end
      for k = 1, q.rocks.count do
        local x, y = at.x - q.rocks.transform.x[k], at.y - q.rocks.transform.y[k]
        local reach, distance = q.rocks.rock.radius[k] + SIZE, math.sqrt(x * x + y * y)
        if distance < reach and distance > 0 then
          bounce(e, x / distance, y / distance, reach - distance)
        end
      end
      if helm.thrust > 0 and world.tick % 2 == 0 then
        leave_trail(e)
      end
    end
  end,
}

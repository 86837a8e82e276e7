-- Spawns entities with vectors in table literals. The engine restores such a table in loops over tables.
local function bullet(x, y, c, player)
  world.spawn("bullet", { bullet = { player = player }, shape = { colour = { c, c, c, 1 } },
    transform = { x = x, y = y, angle = c }, motion = { vx = x * 2, vy = y * 3 }, lifetime = { seconds = 0.05 } })
end

local function spark(x, y, power, r)
  world.spawn("spark", { transform = { x = x, y = y }, motion = { vx = x, vy = y }, emitter = {
    burst = math.floor(1 + 4 * power), radius = 16 * power, speed = 130 + power, life = 0.5 + 0.5 * power,
    colours = { { r + 0.8, r, r, 1 }, { r, r, r, 0 } } } })
end

local function piece(x, y, c)
  for i = 1, 3 do
    world.spawn("piece", { transform = { x = x + i, y = y, angle = c },
      motion = { vx = x, vy = y, spin = (world.random() - 0.5) * 7 },
      shape = { points = string.format("%.2f,%.2f %.2f,%.2f", -x, -y, x, y), colour = { c, c, c, 1 } } })
  end
end

return {
  update = function()
    for i = 1, world.random(1, 12) do
      local kind, x, y = world.random(1, 4), world.random() * 100, world.random() * 50
      if kind == 1 then bullet(x, y, 0.5, i)
      elseif kind == 2 then spark(x, y, 0.5, 0.2)
      elseif kind == 3 then piece(x, y, 0.1)
      else world.emit("nothing", { a = x, b = y }) end
    end
  end,
}

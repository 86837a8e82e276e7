-- Spawns a spreading, fading ring at the position of a sound.
---@param x number
---@param y number
---@param radius number
---@param colour string
return function(x, y, radius, colour)
  local ring = world.spawn("ring", { transform = { x = x, y = y }, shape = { colour = colour } })
  world.tween(ring, "shape.radius", radius, 0.9, "quad_out")
  world.tween(ring, "shape.colour.a", 0, 0.9)
end

-- Entities with `trail` leave behind lights that fade within a second.
return {
  query = { "trail", "transform" },
  every = 4,
  each = function(e)
    local made = world.spawn("puff", { transform = { x = e.transform.x, y = e.transform.y },
      shape = { radius = e.trail.radius * 0.8, colour = e.trail.colour } })
    world.tween(made, "shape.colour.a", 0, 0.9)
    world.tween(made, "shape.radius", 1, 0.9)
  end,
}

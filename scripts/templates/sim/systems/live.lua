-- Rabbits wander, eat nearby grass, have young when they are full, and starve without food.

local function eat(e)
  for _, grass in ipairs(world.near(e.transform.x, e.transform.y, 8, "grass")) do
    if grass.grass.grown > 0.4 and e.animal.food < 2 then
      e.animal.food = e.animal.food + grass.grass.grown * 0.5
      grass.grass.grown = 0
    end
  end
end

return {
  query = { "animal", "transform", "shape" },
  each = function(e, dt)
    local animal, at, counts = e.animal, e.transform, world.single.counts
    animal.turn = animal.turn + world.random(-4, 4) * dt
    at.x = (at.x + math.cos(animal.turn) * animal.speed * dt) % 1280
    at.y = 60 + (at.y - 60 + math.sin(animal.turn) * animal.speed * dt) % 650
    animal.food = animal.food - 0.12 * dt
    e.shape.radius = 3 + 2.5 * math.max(0, animal.food)
    eat(e)
    if animal.food >= 2 then
      animal.food = 1
      counts.born = counts.born + 1
      world.spawn("rabbit", { transform = { x = at.x, y = at.y },
        animal = { turn = world.random(0, 6.28), food = 0.8 } })
    elseif animal.food <= 0 then
      counts.starved = counts.starved + 1
      e:destroy()
    end
  end,
}

-- Once a second, defines a new breed or redefines an old one, and spawns a litter of it.
local BREEDS, LITTER = 8, 40

local function traits()
  return {
    is = "swimmer",
    components = {
      swim = { speed = world.random(30.5, 140.5), turn = world.random(-2.5, 2.5) },
      shape = { radius = world.random(1.5, 6.5),
        colour = { world.random(0.1, 1.1), world.random(0.1, 1.1), world.random(0.1, 1.1), 1 } },
    },
  }
end

return {
  update = function(dt)
    local nursery = world.single.nursery
    nursery.wait = nursery.wait - dt
    if nursery.wait > 0 then
      return
    end
    nursery.wait = 1
    nursery.breeds = nursery.breeds + 1
    local name = "breed" .. world.random(math.min(nursery.breeds, BREEDS))
    world.define(name, traits())
    local x, y = world.random(100, 1180), world.random(100, 620)
    for _ = 1, LITTER do
      world.spawn(name, { transform = { x = x, y = y }, heading = { angle = world.random(0.1, 6.3) } })
    end
  end,
}

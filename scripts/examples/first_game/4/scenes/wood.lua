-- The wood, with random trees.
local WIDTH, HEIGHT = 2560, 1440

local function somewhere()
  return { x = (world.random() - 0.5) * WIDTH, y = (world.random() - 0.5) * HEIGHT }
end

return {
  start = function()
    local spark = world.spawn("spark")
    world.spawn("eye", { follow = { target = spark } })
    world.spawn("ground")
    for side = -1, 1, 2 do -- four edges around the wood; their bodies stop movers
      world.spawn("edge", { transform = { x = side * WIDTH / 2 }, body = { width = 20, height = HEIGHT } })
      world.spawn("edge", { transform = { y = side * HEIGHT / 2 }, body = { width = WIDTH, height = 20 } })
    end
    for _ = 1, 500 do
      world.spawn("grass", { transform = somewhere() })
    end
    for _ = 1, 90 do
      local at, size = somewhere(), world.random(0.7, 1.5)
      if at.x * at.x + at.y * at.y > 160 * 160 then -- keeps the start position free
        world.spawn("tree", { transform = { x = at.x, y = at.y, scale_x = size, scale_y = size } })
      end
    end
    world.spawn("words")
  end,
}

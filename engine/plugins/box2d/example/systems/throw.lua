return {
  every = 150,
  update = function()
    world.spawn("ball", { transform = { x = 40, y = 330 },
      box2d_body = { vx = world.random(620, 900), vy = world.random(-420, -260) } })
  end,
}

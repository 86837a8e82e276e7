return {
  phase = "input",
  start = function()
    for i = 1, world.single.bench.count do
      local kind = (i - 1) % 26 + 1
      local e = world.spawn("kind" .. kind)
      if kind <= 15 then
        e.position.x, e.position.y = i % 1000, i % 700
        e.velocity.x, e.velocity.y = 1 + i % 61, 1 + i % 53
      end
    end
  end,
}

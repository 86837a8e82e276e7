return {
  phase = "input",
  start = function()
    for i = 1, world.single.bench.count do
      local kind = i % 100 == 0 and "shielded" or i % 10 == 0 and "burning" or "thing"
      world.spawn(kind, { thing = { x = i % 100 } })
    end
  end,
}

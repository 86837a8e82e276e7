return {
  phase = "post_update",
  query = { "cell" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local fuel, heat, age = 0, 0, 0
    for i = 1, q.count do
      fuel, heat, age = fuel + q.cell.fuel[i], heat + q.cell.heat[i] * (i % 7), age + q.cell.age[i]
    end
    print(("check fuel %.17g"):format(fuel))
    print(("check heat %.17g"):format(heat))
    print(("check age %.17g"):format(age))
  end,
}

return {
  phase = "post_update",
  queries = { places = { "position" }, lives = { "health" }, numbers = { "data" }, grid = { "cell" } },
  update = function(q)
    if world.tick ~= 24 then return end -- ticks are counted from 0, so this is the 25th
    local sums = { position = 0, hp = 0, numgy = 0, grid = 0 }
    local x, y, hp, numgy, cells = q.places.position.x, q.places.position.y, q.lives.health.hp, q.numbers.data.numgy,
      q.grid.cell.character
    for i = 1, q.places.count do sums.position = sums.position + x[i] + y[i] end
    for i = 1, q.lives.count do sums.hp = sums.hp + hp[i] end
    for i = 1, q.numbers.count do sums.numgy = sums.numgy + bit.band(numgy[i], 0xffff) end
    for i = 1, q.grid.count do sums.grid = sums.grid + cells[i] * (1 + (i - 1) % 97) end
    for name, sum in pairs(sums) do print(("check %s %.17g"):format(name, sum)) end
  end,
}

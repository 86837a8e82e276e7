local SUITS = { "hearts", "spades", "clubs", "diamonds" }

return {
  phase = "input",
  start = function()
    for i = 0, world.single.bench.count - 1 do
      world.spawn("card", { card = { suit = SUITS[math.floor(i / 13) % 4 + 1], rank = i % 13 + 1 } })
    end
  end,
}

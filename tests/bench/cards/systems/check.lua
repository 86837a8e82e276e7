return {
  phase = "post_update",
  after = "deal",
  query = { "card" },
  update = function(q)
    if world.tick ~= world.single.bench.last then return end
    local holders, said = 0, 0
    for i = 1, q.count do holders = holders + q.card.holder[i] * (i % 11) end
    for _, byte in ipairs { world.single.round.said:byte(1, -1) } do said = (said * 31 + byte) % 2147483647 end
    print(("check wins %.17g"):format(world.single.round.wins))
    print(("check holders %.17g"):format(holders))
    print(("check said %.17g"):format(said))
  end,
}
